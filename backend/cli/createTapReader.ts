/** Reads the output of tests in the Test Anything Protocol, which pgTAP writes. */
export interface TapReader {
  /** A value of a row: one or several lines. */
  read(text: string): void
  /** The failed tests so far, each with the diagnosis that follows it. */
  faults(): string[]
  /** Also reports a missing plan, and a number of tests that differs from the plan. */
  finish(): string[]
}

/** Creates a reader for one file. */
export function createTapReader(): TapReader {
  const failures: string[] = []
  let planned: number | null = null
  let ran = 0
  let isInFailure = false
  const readLine = (line: string): void => {
    const plan = /^1\.\.(\d+)/.exec(line)
    const test = /^(not )?ok\b(.*)$/.exec(line)
    if (plan) planned = Number(plan[1])
    else if (test) {
      ran++
      isInFailure = test[1] !== undefined && !/#\s*(todo|skip)\b/i.test(line)
      if (isInFailure) failures.push(line)
    } else if (isInFailure && line.startsWith('#')) failures.push(line)
  }
  return {
    read(text) {
      for (const line of text.split('\n')) readLine(line.trim())
    },
    faults: () => failures,
    finish() {
      if (planned === null) return [...failures, 'The file has no plan.']
      return ran === planned ? failures : [...failures, `${planned} tests are planned, and ${ran} ran.`]
    },
  }
}
