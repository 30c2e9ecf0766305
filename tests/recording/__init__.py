"""What the program read before the instruments were given a common kit, and the comparison with what it reads now.

``inputs.json`` lists files of rows and the options they are scored with; they were made once, as follows.

==========================  ===========================================================================================
agency/run-*                the records of ``assay run agency --subject reference:…``, whole or ``--quick``, digests cut
                            to 16 digits; their declarations are what the run's lock declares
agency/desk*, worked-*      the examples of docs/agency.md
agency/drawn-SEED           drawn as in tests/instruments/agency/test_second_scorer.py
agency/ (others)            made as in tests/instruments/agency/made_outcomes.py, one for each rule
consistency/demo, smollm2   a run of examples/consistency.yaml, each trial as its transcript
consistency/references …    a run of six references, the same way; ratings are the rules' labels, some of them turned
consistency/written*        written for this, with the examples of docs/consistency.md
consistency/labelled        replies of data/labelled/refusals.jsonl of the instrument
repeatability/references-*  whole replies of two references to seven contracts
repeatability/ (others)     programs written for this
repeatability/real*         outputs of real models that lie beside the repository; only numbers are recorded of them
==========================  ===========================================================================================
"""
