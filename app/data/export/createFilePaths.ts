import { archiveName } from '../../../wire/pages/archiveName.ts'

/**
 * Where files are in the archive: below their own names, with a number where several files have the same name. File systems that
 * ignore the case of letters keep them apart, too.
 */
export function createFilePaths(): (id: string, name: string) => string {
  const paths = new Map<string, string>()
  const used = new Set<string>()
  /** The last number of each name. */
  const numbers = new Map<string, number>()
  return (id, name) => {
    const known = paths.get(id)
    if (known !== undefined) return known
    const first = archiveName(name)
    const dot = first.lastIndexOf('.')
    const [base, extension] = dot > 0 ? [first.slice(0, dot), first.slice(dot)] : [first, '']
    let unique = first
    let number = numbers.get(first.toLowerCase()) ?? 1
    while (used.has(unique.toLowerCase())) unique = `${base} (${++number})${extension}`
    numbers.set(first.toLowerCase(), number)
    used.add(unique.toLowerCase())
    const path = `files/${unique}`
    paths.set(id, path)
    return path
  }
}
