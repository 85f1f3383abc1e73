print("afnet")
