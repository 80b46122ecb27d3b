import type { StorageContext } from '../../Storage.ts'

/**
 * The query's `download`: undefined where absent, '' for the object's own name. The client library escapes names in signed
 * links twice, so that hosted saves "report %281%29.pdf" for "report (1).pdf": in links they are decoded once more.
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
