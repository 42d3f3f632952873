def repair(*a): raise NotImplementedError
