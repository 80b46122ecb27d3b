/** The result of a check: sentences for the user, each with what to do. */
export interface Report {
  /** Missing or wrong settings and objects. */
  missing: Finding[]
  /** What could not be checked, and how to check it. */
  unchecked: Finding[]
}

export interface Finding {
  /** The subject as one word, for programs: "grant", "policy", "smtp". */
  about: string
  sentence: string
}

/** Collects findings in order. */
export class Findings implements Report {
  readonly missing: Finding[] = []
  readonly unchecked: Finding[] = []

  reportMissing(about: string, sentence: string): void {
    this.missing.push({ about, sentence })
  }

  reportUnchecked(about: string, sentence: string): void {
    this.unchecked.push({ about, sentence })
  }
}
