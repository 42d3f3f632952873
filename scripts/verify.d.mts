/** Puts generated text between `<!-- name -->` and `<!-- /name -->`. */
export declare const fillPage: (page: string, parts: Readonly<Record<string, string>>) => string
