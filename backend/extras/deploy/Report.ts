/** What a check found: sentences for a person, each with what to do about it. */
export interface Report {
  /** What is missing or wrong. */
  missing: Finding[]
  /** What could not be seen, and how it could. */
  unseen: Finding[]
}

export interface Finding {
  /** What it is about, as one word for programs: "grant", "policy", "smtp". */
  about: string
  sentence: string
}

/** Collects findings in the order in which they are made. */
export class Findings implements Report {
  readonly missing: Finding[] = []
  readonly unseen: Finding[] = []

  miss(about: string, sentence: string): void {
    this.missing.push({ about, sentence })
  }

  cannotSee(about: string, sentence: string): void {
    this.unseen.push({ about, sentence })
  }
}
