# Poise: make, make test, make demo. `make help` lists the rest.
CC      ?= cc
OPT     ?= -O2
BUILD   ?= build
UNITY   ?= tests/unity
WARN    := -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wdouble-promotion
STD     := -std=c11 -ffp-contract=off
ALLFLAGS = $(STD) $(OPT) $(WARN) -fPIC $(EXTRA) $(CFLAGS)

ROOMS   := base la rbd contact qp ctrl
LIB_SRC := $(sort $(foreach r,$(ROOMS),$(wildcard $(r)/*.c)))
TOOL_SRC := $(sort $(filter-out cli/main.c,$(foreach r,scenes bench cli,$(wildcard $(r)/*.c))))
TEST_SRC := $(sort $(wildcard tests/test_*.c))
LIB_OBJ := $(LIB_SRC:%.c=$(BUILD)/%.o)
TOOL_OBJ := $(TOOL_SRC:%.c=$(BUILD)/%.o)
TESTS   := $(TEST_SRC:tests/%.c=$(BUILD)/tests/%)

all: $(BUILD)/libpoise.a $(BUILD)/libpoise_tools.a $(BUILD)/cli/main.o

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALLFLAGS) -MMD -MP -I. -I$(UNITY) -c $< -o $@

$(BUILD)/libpoise.a: $(LIB_OBJ)
	@mkdir -p $(@D) && rm -f $@
	ar rcs $@ $^

$(BUILD)/libpoise_tools.a: $(TOOL_OBJ)
	@mkdir -p $(@D) && rm -f $@
	ar rcs $@ $^

$(BUILD)/poise: $(BUILD)/cli/main.o $(BUILD)/libpoise_tools.a $(BUILD)/libpoise.a
	$(CC) $(ALLFLAGS) $(LDFLAGS) $^ -lm -o $@

$(BUILD)/tests/test_%: $(BUILD)/tests/test_%.o $(BUILD)/tests/unity/unity.o $(BUILD)/libpoise_tools.a $(BUILD)/libpoise.a
	$(CC) $(ALLFLAGS) $(LDFLAGS) $^ -lm -o $@

test: $(TESTS)
	@for t in $(TESTS); do $$t || exit 1; done

clean:
	rm -rf $(BUILD)

.PHONY: all test clean
.SECONDARY:
-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
