/** A mistake that is written into a copy of the Python port. */
export interface Mistake {
  readonly name: string
  readonly file: string
  readonly right: string
  readonly wrong: string
}

export declare const mistakes: ReadonlyArray<Mistake>

/** Copies the port into a folder, with one mistake; answers with the folder of the copy. */
export declare const writeMistake: (mistake: Mistake, folder: string) => string
