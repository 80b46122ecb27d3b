import { revokeCodes } from '../rows/flowState.ts'
import type { AuthApp, AuthContext } from '../AuthContext.ts'
import { invalid } from '../http/AuthError.ts'
import { readClientInfo, rejectOAuthClients, requireUser } from '../http/authenticate.ts'
import { writeAudit } from '../audit.ts'
import { lockUser } from '../rows/findUser.ts'
import { hasSecondFactor } from '../rows/user.ts'
import { transact } from '../transact.ts'

/**
 * POST /logout?scope=: ends all sessions of a user (`global`, the default), this one (`local`), or all but this
 * one (`others`). A token without a session ends all of them, whatever the scope. If the user has a second
 * factor, a session at aal1 cannot end those at aal2: someone who has only the password cannot sign the owner
 * out. Hosted Supabase allows that.
 */
export function addLogout(app: AuthApp, ctx: AuthContext): void {
  app.post('/logout', async (c) => {
    const me = await requireUser(ctx, c)
    const { user, session } = me
    const scope = c.req.query('scope') || 'global'
    if (!['global', 'local', 'others'].includes(scope)) {
      throw invalid(`Unsupported logout scope ${JSON.stringify(scope)}`)
    }
    // An OAuth client can only end its own session.
    if (scope !== 'local') rejectOAuthClients(me)
    const endsAll = session === null || session.aal === 'aal2' || !hasSecondFactor(user)
    await transact(ctx, async (tx) => {
      if (scope !== 'local' || session === null) await revokeCodes(tx, user.id)
      // The same lock order as everything that ends several sessions while it has locked one, such as the
      // verification of a second factor.
      await lockUser(tx, user.id)
      await writeAudit(tx, user, 'logout', readClientInfo(c).ip)
      await tx.query(
        `delete from auth.sessions where user_id = $1 and case $2
           when 'local' then id = $3::uuid
           when 'others' then id <> $3::uuid and ($4 or coalesce(aal, 'aal1') < 'aal2')
           else $4 or id = $3::uuid or coalesce(aal, 'aal1') < 'aal2' end`,
        [user.id, session === null ? 'global' : scope, session?.id ?? null, endsAll],
      )
    })
    return c.body(null, 204)
  })
}
