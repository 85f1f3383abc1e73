print("AFBenchmarks")
