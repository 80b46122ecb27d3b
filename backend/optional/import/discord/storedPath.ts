import { posix } from 'node:path'
import type { ExportFiles } from '../openExport.ts'

/**
 * The path of a file that was exported together with the messages. Its address is relative to the file with the messages. Null for
 * an address of the web, and for a file that the export does not have.
 */
export function storedPath(
  { sizes }: Pick<ExportFiles, 'sizes'>,
  exportPath: string,
  address: unknown,
): string | null {
  if (typeof address !== 'string' || address === '' || address.length > 2_000 || isWebAddress(address))
    return null
  const found = [address.replaceAll('\\', '/'), address, decoded(address)].flatMap((path) =>
    path === null ? [] : [posix.normalize(posix.join(posix.dirname(exportPath), path))],
  )
  return found.find((path) => sizes.has(path)) ?? null
}

/** Whether an address leads to the web. */
export function isWebAddress(address: string): boolean {
  return /^https?:\/\//i.test(address)
}

function decoded(address: string): string | null {
  try {
    return decodeURIComponent(address)
  } catch {
    return null
  }
}
