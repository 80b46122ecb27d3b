import { coerce, satisfies, validRange } from 'semver'

/**
 * Whether an installed version ("2.119.0") is in an npm range. Pre-release tags of the version are ignored. A tag ("latest")
 * or anything else that is not a range is satisfied by any version, since only a registry could resolve it.
 */
export function satisfiesRange(version: string, range: string): boolean {
  const installed = coerce(version)
  // npm itself accepts commas between comparators in ranges of import maps and of older package files.
  const requested = range.replaceAll(',', ' ')
  return (
    installed === null ||
    validRange(requested, { loose: true }) === null ||
    satisfies(installed, requested, { loose: true })
  )
}
