import type { AuthApp, AuthContext } from '../AuthContext.ts'
import { findAuditEntries } from '../admin/findAuditEntries.ts'
import { addPageHeaders, readPage } from '../admin/paging.ts'
import { requireAdmin } from '../http/authenticate.ts'

/** GET /admin/audit: the audit log, for service keys. */
export function addAdminAudit(app: AuthApp, ctx: AuthContext): void {
  app.get('/admin/audit', async (c) => {
    await requireAdmin(ctx, c)
    const page = readPage(c)
    const { entries, total } = await findAuditEntries(ctx.pool, c.req.query('query') ?? '', page)
    addPageHeaders(c, page, total)
    return c.json(entries)
  })
}
