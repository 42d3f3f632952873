// A page with one true claim, one false one and one error: what the runner of pages must tell apart.
at(3)
check(5, { a: [1] }, { a: [1] })
check(7, { a: undefined }, {})
at(9)
throw new Error('on line 9')
