import { createFinding, type CheckCode, type CheckValues, type Finding } from '../../wire/serverChecks.ts'

/** Paths, addresses and errors, which only the commands and the administration page of this machine show. */
export interface FindingDetails {
  /** Full sentences, or one path on each line. */
  details?: string[]
  /** Commands that can be pasted. */
  commands?: string[]
}

/** A finding with its details. The database stores it without them. */
export type LocalFinding = Finding & FindingDetails

/** Creates a finding with its state and details. */
export function createLocalFinding<Code extends CheckCode>(
  code: Code,
  values: CheckValues[Code],
  details: FindingDetails = {},
): LocalFinding {
  return { ...(createFinding(code, values) as Finding), ...details }
}

/** Removes the details, which the readers of stored findings may not see. */
export function withoutDetails({ code, state, values }: LocalFinding): Finding {
  return { code, state, values } as Finding
}

/** The most lines of details of one finding. */
export const maxDetails = 20

/** The first lines, and how many more there are. */
export function limitDetails(lines: readonly string[]): string[] {
  if (lines.length <= maxDetails) return [...lines]
  return [...lines.slice(0, maxDetails), `and ${lines.length - maxDetails} more`]
}
