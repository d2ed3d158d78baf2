// Bodies of a function, and why the run fails: the same in every build, whatever the width of a pointer. The module's tests read this file too.
&[
    ("let a = [1];\na[4294967296];", "line 3: Array index 4294967296 out of bounds: only 1 element in array"),
    ("let s = \"abc\";\ns[4294967297];", "line 3: String index 4294967297 out of bounds: only 3 characters in string"),
    ("let a = [1];\na.remove(4294967296);", "line 3: there is no entry 4294967296: they are 0 to 0"),
    ("let a = [1];\na.insert(-4294967296, 1);", "line 3: there is no place -4294967296: they are 0 to 1"),
    ("seen.sms[4294967296];", "line 2: Array index 4294967296 out of bounds: only 2 elements in array"),
    ("controls.sms[4294967296].cta_target[0] = 1;", "line 2: there is no SM 4294967296: they are 0 to 1"),
    ("let n = 9223372036854775807;\nn += 1;", "line 3: Addition overflow: 9223372036854775807 + 1"),
    ("floor(1e300);", "line 2: 1000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000 is no whole number of 64 bits"),
    ("let a = [];\nfor i in 0..4294967296 {\na.push(i);\n}", "line 1: Size of array/BLOB too large"),
    ("let a = [];\nloop {\na = [a];\n}", "line 4: lists or maps within each other more than 16 deep"),
    ("let a = [3, 1, 2];\na.sort(|a, b| random(3) - 1);\nthrow `${a.len()}`;", "line 4: 3"),
    ("let a = [2, 1];\na.sort(|a, b| { loop { a += 0; } });", "line 3: the call takes too long: more than 200000 operations"),
    ("let a = [9];\nfor i in 0..11 { a += a; }\nloop {\nlet b = a;\n}", "line 5: the call takes too long: more than 200000 operations"),
    // What is no part of the language is a problem of the experiment.
    ("let a = [];\na.pad(4294967297, 0);", "line 3: no value has a function pad: call a function of yours by its name alone"),
    ("\"abc\"[4294967296..4294967299];", "line 2: a range stands only after the in of a for"),
]
