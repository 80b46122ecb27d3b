import type { Manifest } from '../optional/archive/Manifest.ts'

/** Lines that name what an archive leaves behind, and what people do about it. */
export const describeLeftBehind = ({ leftBehind = [] }: Manifest): string[] =>
  leftBehind.map(
    ({ what, becomes, count }) => `Left behind: ${count === null ? '' : `${count} `}${what}. ${becomes}`,
  )
