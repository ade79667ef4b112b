function problems = read_hqp(path)
% READ_HQP  problems of a .hqp file (docs/hqp-benchmark.md), for MATLAB and Octave: problems(i).name, .n, .levels(k).name, .hard, .A, .lower, .upper
  text = fileread(path);
  lines = strsplit(text, "\n");
  problems = struct("name", {}, "n", {}, "levels", {});
  i = 1;
  while i <= numel(lines)
    words = strsplit(strtrim(regexprep(lines{i}, "#.*", "")));
    i = i + 1;
    switch words{1}
      case "problem"
        p = struct("name", words{2}, "n", str2double(words{4}), "levels", struct("name", {}, "hard", {}, "A", {}, "lower", {}, "upper", {}));
      case "level"
        m = str2double(words{end});
        R = zeros(m, p.n + 2);
        r = 1;
        while r <= m
          row = sscanf(regexprep(lines{i}, "#.*", ""), "%f")';
          i = i + 1;
          if isempty(row), continue, end
          R(r, :) = row;
          r = r + 1;
        end
        p.levels(end + 1) = struct("name", words{2}, "hard", any(strcmp(words, "hard")), "A", R(:, 3:end), "lower", R(:, 1), "upper", R(:, 2));
      case "end"
        problems(end + 1) = p;
    end
  end
end
