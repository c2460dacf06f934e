"""Which chance decides, and does it decide alike in each run, differently in each epoch and process?

    seeds             which programs does a call run in, and does one of them fix the stream that it draws from?
    reseeding         does a seed that is set in a loop make each iteration draw the same numbers?
    ordering          in which order do elements come, and is it the same in each run?
    choices           where does the order of elements decide something?
    persistence       do numbers that the order decides outlive the run, and are they stored with the model?
    parting           which order decides about the rows that are held out?
    textual           are elements text, so that the order of a set of them differs in each process?
    worker_processes  what runs in the worker processes of a loader, and what do they share?
    sharding          which samples does a process of a distributed training read, and who sets its epoch?
    sampler_epochs    is a sampler given the number of each epoch, by all ranks, and in time?

May import: the floors below and the domains of `training`.
"""
