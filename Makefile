# Poise: `make`, `make test`, `make demo`. `make help` lists the rest.
#
# Rooms are found by wildcard: a new ROOM/x.c, tests/test_x.c, tests/fuzz/fuzz_x.c or examples/NN_x.c needs no change here.
# CC, OPT, CFLAGS, EXTRA, BUILD and UNITY may be given on the command line; a change of flags rebuilds.
CC      ?= cc
CXX     ?= c++
OPT     ?= -O2
BUILD   ?= build
UNITY   ?= tests/unity
PREFIX  ?= /usr/local
WARN    := -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wdouble-promotion $(if $(WERROR),-Werror)
# gcc 12 fuses pairs of a*b ± c (vfmaddsub) in its vectorizer in spite of -ffp-contract=off; what pays is written with intrinsics.
STD     := -std=c11 -ffp-contract=off$(if $(findstring clang,$(shell $(CC) --version 2>/dev/null)),, -fno-tree-vectorize)
ALLFLAGS = $(STD) $(OPT) $(WARN) -fPIC $(EXTRA) $(CFLAGS)
HASH    := \#
VERSION := $(shell sh tools/version)
SONAME  := libpoise.so.$(shell sh tools/version interface)
JOBS    := $(shell nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
# Compile in parallel also when the user did not ask: `make test` is one of the README's two commands.
PARALLEL = $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(JOBS))
Q       := $(if $(V),,@)
say      = $(if $(V)$(findstring s,$(firstword -$(MAKEFLAGS))),,@echo "  $(1)")

ROOMS     := base la rbd motion contact qp qp/lex ctrl ctrl/ddp ctrl/moves ctrl/learn ctrl/plan view
GEN_SRC   := $(BUILD)/gen/builtin_files.c $(BUILD)/gen/page_source.c
LIB_SRC   := $(foreach r,$(ROOMS),$(sort $(wildcard $(r)/*.c))) $(GEN_SRC)
TOOL_SRC  := $(sort $(filter-out cli/main.c,$(foreach r,scenes bench cli,$(wildcard $(r)/*.c))))
TEST_SRC  := $(sort $(wildcard tests/test_*.c))
FUZZ_SRC  := $(sort $(wildcard tests/fuzz/fuzz_*.c))
EXAMPLE_SRC := $(sort $(wildcard examples/*.c))
CHECKS    := $(sort $(wildcard tests/check/*.sh))
HEADERS   := poise.h $(sort $(foreach r,$(ROOMS),$(wildcard $(r)/*.h)))
LIB_OBJ   := $(patsubst %.c,$(BUILD)/%.o,$(filter-out $(BUILD)/gen/%,$(LIB_SRC))) $(GEN_SRC:.c=.o)
TOOL_OBJ  := $(TOOL_SRC:%.c=$(BUILD)/%.o) $(BUILD)/gen/builtin_steps.o
TESTS     := $(TEST_SRC:tests/%.c=$(BUILD)/tests/%)
REPLAYS   := $(FUZZ_SRC:tests/fuzz/%.c=$(BUILD)/tests/%)
EXAMPLES  := $(EXAMPLE_SRC:%.c=$(BUILD)/%)
OBJECTS   := $(LIB_OBJ) $(TOOL_OBJ) $(BUILD)/cli/main.o $(TEST_SRC:%.c=$(BUILD)/%.o) $(FUZZ_SRC:%.c=$(BUILD)/%.o) \
             $(BUILD)/tests/fuzz/replay.o $(BUILD)/tests/soak/soak.o
SHARED    := $(BUILD)/libpoise.so

# The genuine Unity needs to be told about doubles, and genuine.h adds what releases before 2.5.3 lack.
OWN_UNITY := $(filter tests/unity,$(UNITY))
UNITY_FLAGS = -I$(UNITY) $(if $(OWN_UNITY),,-DUNITY_INCLUDE_DOUBLE -include tests/unity/genuine.h)

# Written when the flags or the commit change, and only then, so that a second `make` has nothing to do.
remember = $(shell mkdir -p $(dir $(1)); printf '%s\n' '$(subst ','\'',$(2))' | cmp -s - $(1) || printf '%s\n' '$(subst ','\'',$(2))' > $(1))
ifneq ($(filter-out clean help format,$(or $(MAKECMDGOALS),all)),)
$(call remember,$(BUILD)/flags,$(CC) $(ALLFLAGS) $(LDFLAGS) $(UNITY))
COMMIT := $(shell cat .commit 2>/dev/null || git describe --always --dirty --abbrev=12 2>/dev/null || echo unknown)
$(call remember,$(BUILD)/gen/build_info.h,$(HASH)define PO_BUILD_COMMIT "$(COMMIT)")
$(call remember,$(BUILD)/gen/build_flags.h,$(HASH)define PO_BUILD_FLAGS "$(strip $(subst ",\",$(ALLFLAGS)))")
endif

all: $(BUILD)/libpoise.a $(SHARED) $(BUILD)/poise

$(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,cc $<)
	$(Q)$(CC) $(ALLFLAGS) -MMD -MP -I. $(if $(filter tests/%,$<),$(UNITY_FLAGS)) $(if $(filter bench/machine.c bench/html.c,$<),-I$(BUILD)/gen) -c $< -o $@

# Data files that behaviours know by name are compiled in as text.
BUILTIN := $(sort $(wildcard models/styles/*.json models/gaits/*/*.json models/actions/*.json))
$(BUILD)/gen/builtin_files.c: tools/builtin_files $(BUILTIN)
	@mkdir -p $(@D)
	$(Q)sh tools/builtin_files $(BUILTIN) > $@.new && mv $@.new $@
# Steps that were learnt ahead are compiled into the program, so that it finds them wherever it runs.
STEP_FILES := $(sort $(wildcard models/policies/*.steps))
$(BUILD)/gen/builtin_steps.c: tools/builtin_steps $(STEP_FILES)
	@mkdir -p $(@D)
	$(Q)sh tools/builtin_steps $(STEP_FILES) > $@.new && mv $@.new $@
$(BUILD)/gen/%.o: $(BUILD)/gen/%.c $(BUILD)/flags
	$(call say,cc $<)
	$(Q)$(CC) $(ALLFLAGS) -MMD -MP -I. -c $< -o $@

# The pages are written as HTML, CSS and JavaScript and compiled in as text.
$(BUILD)/gen/page_source.c: tools/page_source tools/library_pages $(wildcard view/page/* view/policy/* view/model/*)
	@mkdir -p $(@D)
	$(Q)sh tools/library_pages > $@.new && mv $@.new $@
$(BUILD)/gen/bench_page_source.h: tools/page_source $(wildcard bench/page/*)
	@mkdir -p $(@D)
	$(Q)sh tools/page_source bench_page bench/page draw.js hqp.js page.js > $@.new && mv $@.new $@
$(BUILD)/bench/html.o: $(BUILD)/gen/bench_page_source.h

$(BUILD)/libpoise.a: $(LIB_OBJ)
	@mkdir -p $(@D) && rm -f $@
	$(call say,ar $@)
	$(Q)ar rcs $@ $^

$(BUILD)/libpoise_tools.a: $(TOOL_OBJ)
	@mkdir -p $(@D) && rm -f $@
	$(call say,ar $@)
	$(Q)ar rcs $@ $^

# What poise.h declares leaves the shared library, and nothing else.
$(BUILD)/poise.map: $(BUILD)/poise.h $(BUILD)/libpoise.a tools/exports
	$(Q)sh tools/exports $(BUILD)/poise.h $(BUILD)/libpoise.a > $@.new && mv $@.new $@
$(SHARED): $(LIB_OBJ) $(BUILD)/poise.map
	$(call say,ld $@)
	$(Q)$(CC) $(ALLFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(SONAME) -Wl,--version-script=$(BUILD)/poise.map $(LIB_OBJ) -lm -o $@

$(BUILD)/poise: $(BUILD)/cli/main.o $(BUILD)/libpoise_tools.a $(BUILD)/libpoise.a
	$(call say,ld $@)
	$(Q)$(CC) $(ALLFLAGS) $(LDFLAGS) $^ -lm -o $@

# ---- tests --------------------------------------------------------------------------------------------------------------

$(BUILD)/tests/unity/unity.o: $(UNITY)/unity.c $(UNITY)/unity.h $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,cc $<)
	$(Q)$(CC) $(STD) $(OPT) $(EXTRA) $(CFLAGS) $(if $(OWN_UNITY),$(WARN),-DUNITY_INCLUDE_DOUBLE) -I$(UNITY) -c $< -o $@

$(BUILD)/tests/test_%: $(BUILD)/tests/test_%.o $(BUILD)/tests/unity/unity.o $(BUILD)/libpoise_tools.a $(BUILD)/libpoise.a
	$(call say,ld $@)
	$(Q)$(CC) $(ALLFLAGS) $(LDFLAGS) $^ -lm -o $@

$(BUILD)/tests/fuzz_%: $(BUILD)/tests/fuzz/fuzz_%.o $(BUILD)/tests/fuzz/replay.o $(BUILD)/tests/unity/unity.o $(BUILD)/libpoise_tools.a $(BUILD)/libpoise.a
	$(call say,ld $@)
	$(Q)$(CC) $(ALLFLAGS) $(LDFLAGS) $^ -lm -o $@

# Examples see what a user sees: the one header and the library.
$(BUILD)/examples/%: examples/%.c $(BUILD)/poise.h $(BUILD)/libpoise.a
	@mkdir -p $(@D)
	$(call say,cc $<)
	$(Q)$(CC) $(ALLFLAGS) $(LDFLAGS) -I$(BUILD) $< $(BUILD)/libpoise.a -lm -o $@

test-build: all amalgamation $(TESTS) $(REPLAYS) $(EXAMPLES)

RUN_TESTS = CC="$(CC)" CXX="$(CXX)" BUILD="$(BUILD)" POISE_FLAGS="$(EXTRA) $(CFLAGS)" POISE_TEST="$(NAME)" \
            sh tests/run $(BUILD)/results $(CHECKS) $(TESTS) $(REPLAYS) $(EXAMPLES)

test:
	+@$(MAKE) --no-print-directory $(PARALLEL) test-build
	@$(RUN_TESTS)

test-full:
	+@$(MAKE) --no-print-directory $(PARALLEL) test-build
	@POISE_FULL=1 $(RUN_TESTS); tests=$$?; echo; echo "promised rows (tests/rows):"; \
	  SEEDS="1|2" SHOWN=0 sh tests/rows/run $(BUILD)/poise; rows=$$?; [ $$tests -eq 0 ] && [ $$rows -eq 0 ]

# Policies of tasks (docs/task-policies.md): made anew, checked in part, compared with a hand-made one, studied.
policies policies-check task-versus task-studies task-robust: $(BUILD)/poise
	@POISE=$(BUILD)/poise JOBS=$(or $(JOBS),2) WORK=$(BUILD)/explore sh tools/policies $(patsubst policies-check,check,$(patsubst policies,make,$(@:task-%=%)))

# Ten minutes of simulated walking with pushes: no fall, no leak, no growth.
$(BUILD)/tests/soak/soak: $(BUILD)/tests/soak/soak.o $(BUILD)/libpoise_tools.a $(BUILD)/libpoise.a
	$(call say,ld $@)
	$(Q)$(CC) $(ALLFLAGS) $(LDFLAGS) $^ -lm -o $@
soak:
	+@$(MAKE) --no-print-directory $(PARALLEL) $(BUILD)/tests/soak/soak
	@$(BUILD)/tests/soak/soak

# One-line faults, one at a time, in a copy: which test notices?
mutate:
	@CC="$(CC)" sh tests/mutate/run

# Faults drawn at random; SHARD=0/4 for a share, again for the rest. DRAWN=FILE keeps what is known.
mutate-drawn:
	@CC="$(CC)" sh tests/mutate/drawn $(or $(DRAWN),$(BUILD)/drawn.txt)

# The one file with every compiler and for every machine that is there: no warning, the same bits.
test-compilers: amalgamation
	@BUILD="$(BUILD)" sh tests/compilers/run

# Every promised row, all seeds.
rows:
	+@$(MAKE) --no-print-directory $(PARALLEL) all
	@sh tests/rows/run $(BUILD)/poise $(ROWS)

# Rows of robots that others published, where they are installed: docs/my-robot.md.
robots:
	+@$(MAKE) --no-print-directory $(PARALLEL) all
	@BUILD="$(BUILD)" sh tests/robots/run

# Replay pages in a browser, when there is one.
test-pages:
	+@$(MAKE) --no-print-directory $(PARALLEL) all
	@BUILD="$(BUILD)" sh tests/pages/run

ASAN  := -g -fno-omit-frame-pointer -fsanitize=address -fsanitize-address-use-after-scope
UBSAN := -g -fsanitize=undefined,float-cast-overflow -fno-sanitize-recover=all
asan:
	+@$(MAKE) --no-print-directory test BUILD=$(BUILD)/asan EXTRA="$(EXTRA) $(ASAN) -DPO_DEBUG"
ubsan:
	+@$(MAKE) --no-print-directory test BUILD=$(BUILD)/ubsan EXTRA="$(EXTRA) $(UBSAN) -DPO_DEBUG"
sanitize:
	+@$(MAKE) --no-print-directory test BUILD=$(BUILD)/sanitize EXTRA="$(EXTRA) $(ASAN) $(UBSAN) -DPO_DEBUG"

# Numbers that nobody wrote (clang only).
msan:
	+@$(MAKE) --no-print-directory test BUILD=$(BUILD)/msan CC=$(CLANG) OPT=-O1 CHECKS= EXTRA="$(EXTRA) -g -fno-omit-frame-pointer -fsanitize=memory -DPO_DEBUG"

# Valgrind computes long double as double: tests against a long double reference notice and skip. At -O2 gcc uses a form of vmovq that
# valgrind 3.19 does not know.
valgrind:
	+@$(MAKE) --no-print-directory test BUILD=$(BUILD)/valgrind OPT="-O1 -g" CHECKS= \
	  TEST_WRAPPER="valgrind -q --leak-check=full --error-exitcode=99"

CLANG ?= clang
FUZZ_FLAGS := -g -fsanitize=address,undefined -fno-sanitize-recover=all
fuzz:
	@command -v $(CLANG) >/dev/null || { echo "fuzz: there is no $(CLANG); \`make test\` replays the corpus with any compiler"; exit 1; }
	+@$(MAKE) --no-print-directory $(PARALLEL) fuzz-build BUILD=$(BUILD)/fuzz CC=$(CLANG) OPT=-O1 EXTRA="$(FUZZ_FLAGS) -fsanitize=fuzzer-no-link"
	@SECONDS_EACH="$(or $(SECONDS_EACH),20)" sh tests/fuzz/run $(FUZZ_SRC:tests/fuzz/%.c=$(BUILD)/fuzz/%)
fuzz-build: $(FUZZ_SRC:tests/fuzz/%.c=$(BUILD)/%)
$(BUILD)/fuzz_%: $(BUILD)/tests/fuzz/fuzz_%.o $(BUILD)/libpoise_tools.a $(BUILD)/libpoise.a
	$(call say,ld $@)
	$(Q)$(CC) $(FUZZ_FLAGS) -fsanitize=fuzzer $^ -lm -o $@

coverage:
	+@$(MAKE) --no-print-directory test BUILD=$(BUILD)/coverage OPT="-O0 -g" EXTRA="$(EXTRA) --coverage"
	@sh tools/coverage $(BUILD)/coverage $(LIB_SRC) $(TOOL_SRC)

# ---- what there is to see -----------------------------------------------------------------------------------------------

demo:
	+@$(MAKE) --no-print-directory $(PARALLEL) all
	@BUILD="$(BUILD)" sh tools/demo

bench:
	+@$(MAKE) --no-print-directory $(PARALLEL) all
	$(BUILD)/poise bench $(ROOM) $(if $(JSON),--json $(JSON)) $(if $(HTML),--html $(HTML)) $(if $(AGAINST),--against $(AGAINST))

# Prioritized solvers side by side (docs/hqp-benchmark.md). DAQP=FOLDER: PyPI's sdist of daqp, unpacked.
hqp-benchmark:
	+@$(MAKE) --no-print-directory $(PARALLEL) all
	@CC="$(CC)" BUILD="$(BUILD)" DAQP="$(DAQP)" sh bench/peers/hqp

# The same jobs through other libraries, those that are installed.
bench-peers:
	+@$(MAKE) --no-print-directory $(PARALLEL) all
	@CC="$(CC)" CXX="$(CXX)" BUILD="$(BUILD)" JSON="$(JSON)" sh bench/peers/run

# ---- distribution -------------------------------------------------------------------------------------------------------

# ---- steps that were learnt ahead ---------------------------------------------------------------------------------------

# The first 20 examples of each file, made anew (docs/constrained-walking.md).
policies-check: steps-check
steps-check: $(BUILD)/poise
	@sh tools/steps_check $(BUILD)/poise $(STEP_FILES)
# Share of good steps by width and spacing of gaps, 9 starts each: table 3.1 of the thesis.
step-table: $(BUILD)/poise
	@sh tools/step_studies $(BUILD)/poise table
# Errors on stepping stones by examples, horizon and samples: figures 3.9 to 3.11.
step-studies: $(BUILD)/poise
	@sh tools/step_studies $(BUILD)/poise studies $(BUILD)/step-studies.html

# Replay pages of all skills, and one that links them.
gallery: $(BUILD)/poise
	@sh tools/gallery $(BUILD)/poise $(BUILD)/gallery

amalgamation: $(BUILD)/poise.c $(BUILD)/poise.h

$(BUILD)/poise.h: $(HEADERS) tools/amalgamate
	@mkdir -p $(@D)
	$(call say,amalgamate $@)
	$(Q)sh tools/amalgamate header $(VERSION) > $@.new && mv $@.new $@
$(BUILD)/poise.c: $(HEADERS) $(LIB_SRC) tools/amalgamate
	@mkdir -p $(@D)
	$(call say,amalgamate $@)
	$(Q)sh tools/amalgamate source $(VERSION) $(LIB_SRC) > $@.new && mv $@.new $@

install:
	+@$(MAKE) --no-print-directory $(PARALLEL) all amalgamation
	@DESTDIR="$(DESTDIR)" PREFIX="$(PREFIX)" BUILD="$(BUILD)" sh tools/install
uninstall:
	@mkdir -p $(BUILD)
	@DESTDIR="$(DESTDIR)" PREFIX="$(PREFIX)" BUILD="$(BUILD)" sh tools/install remove

# The committed tree as a tarball that builds without git.
dist:
	@mkdir -p $(BUILD)
	@sh tools/dist $(BUILD)

# ---- housekeeping -------------------------------------------------------------------------------------------------------

FORMATTED = $(wildcard $(foreach r,$(ROOMS) scenes bench cli tests tests/unity tests/fuzz examples,$(r)/*.[ch]) poise.h)
format:
	clang-format -i $(or $(FILES),$(FORMATTED))
lint:
	@sh tests/check/rules.sh
	@sh tools/lint "$(STD)" $(or $(FILES),$(LIB_SRC) $(TOOL_SRC) cli/main.c)

clean:
	rm -rf $(BUILD)

help:
	@sed -n 's/^##  *//p' $(firstword $(MAKEFILE_LIST))

##  make                 build/libpoise.a, build/libpoise.so and the program build/poise
##  make demo            see what it does
##  make test            all tests; NAME=qr runs those whose name contains qr; UNITY=DIR builds against the genuine Unity
##  make test-full       all tests over more random cases, and every promised row with seeds 1 and 2
##  make rows            every promised row of tests/rows, all seeds; ROWS="tests/rows/walk.txt" for some
##  make mutate          puts one-line faults into a copy and reports which test noticed
##  make mutate-drawn    the same with faults drawn at random; SHARD=0/4 COUNT=300 DRAWN=FILE
##  make test-compilers  the one file with every compiler there is, and for other machines (ZIG="python3 -m ziglang", qemu-user, node): the same bits
##  make policies        every policy of models/policies anew; JOBS=2. policies-check redoes a part and compares
##  make task-versus     the policy of heading and speed against a hand-made one; task-studies, task-robust: tables of docs/task-policies.md
##  make robots          published robots stand, are pushed, and are compared with MuJoCo, where their packages are installed; PYTHON=python3
##  make test-pages      replay and bench pages in headless Chromium, when it is installed
##  make gallery         replay pages of walking, tasks and skills in build/gallery
##  make soak            ten minutes of simulated walking with pushes: no fall, no leak, no growth
##  make asan | ubsan    all tests under that sanitizer; `make sanitize` under both
##  make msan            the test programs under the memory sanitizer (clang)
##  make valgrind        the test programs under valgrind
##  make fuzz            a bounded run of each fuzz target (clang); SECONDS_EACH=20
##  make coverage        lines reached by the tests, per file
##  make bench           ROOM=la|rbd|... JSON=FILE HTML=FILE AGAINST=OLD.json
##  make hqp-benchmark   prioritized solvers side by side (docs/hqp-benchmark.md); DAQP=FOLDER for hDAQP
##  make bench-peers     the same jobs through OpenBLAS, Eigen, MuJoCo, Pinocchio and QP solvers, those that are installed; PYTHON=python3
##  make step-table      good steps by width and spacing of gaps; make step-studies: by examples, horizon, samples; make steps-check: their files anew
##  make amalgamation    build/poise.c and build/poise.h, to drop into any build
##  make install         PREFIX=/usr/local DESTDIR=; make uninstall takes the same
##  make dist            build/poise-VERSION.tar.gz, which builds without git
##  make format | lint   clang-format; the house rules and clang-tidy; FILES="a.c b.c" for some only
##  make clean
##  variables: CC OPT (-O2) CFLAGS EXTRA BUILD (build) WERROR=1 V=1

.PHONY: robots gallery steps-check step-table step-studies policies policies-check task-versus task-studies task-robust all test test-build test-full rows mutate mutate-drawn test-compilers test-pages soak asan ubsan msan sanitize valgrind fuzz fuzz-build coverage demo bench hqp-benchmark bench-peers amalgamation install uninstall dist format lint clean help
.SECONDARY:
.DELETE_ON_ERROR:
-include $(OBJECTS:.o=.d)
