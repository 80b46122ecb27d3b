import type { StorageContext } from '../../Storage.ts'

/**
 * The query's `download`: undefined where absent, '' for the object's own name. The client library escapes the names in
 * links that it was given twice, so that hosted saves "report %281%29.pdf" for "report (1).pdf": there they are read
 * once more.
 */
export function readDownloadName(c: StorageContext, o: { isLink: boolean }): string | undefined {
  const name = c.req.query('download')
  if (!o.isLink || !name?.includes('%')) return name
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
