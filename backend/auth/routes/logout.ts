import type { Hono } from 'hono'
import type { ServiceEnv } from '../../../wire/claims.ts'
import { endCodes } from '../accounts/endCodes.ts'
import type { AuthContext } from '../AuthContext.ts'
import { AuthError } from '../http/AuthError.ts'
import { originOf, refuseClients, requireUser } from '../http/callers.ts'
import { writeAudit } from '../audit.ts'
import { lockUser } from '../rows/findUser.ts'
import { hasSecondFactor } from '../rows/user.ts'
import { transact } from '../transact.ts'

/**
 * POST /logout?scope=: ends all sessions of a person (`global`, also where none is named), this one (`local`), or
 * all but this one (`others`). A token without a session ends them all, whatever it asks. Where a person has a second
 * factor, a session that was begun with one factor ends none of those with two: whoever has only the password can't
 * sign its owner out. Hosted allows that.
 */
export function addLogout(app: Hono<ServiceEnv>, ctx: AuthContext): void {
  app.post('/logout', async (c) => {
    const me = await requireUser(ctx, c)
    const { user, session } = me
    const scope = c.req.query('scope') || 'global'
    if (!['global', 'local', 'others'].includes(scope)) {
      throw new AuthError(400, 'validation_failed', `Unsupported logout scope ${JSON.stringify(scope)}`)
    }
    // A client ends what it was given, and nobody else's.
    if (scope !== 'local') refuseClients(me)
    const endsAll = session === null || session.aal === 'aal2' || !hasSecondFactor(user)
    await transact(ctx, async (client) => {
      if (scope !== 'local' || session === null) await endCodes(client, user.id)
      // In the order of whatever ends several sessions while it holds one, such as a second factor's proof.
      await lockUser(client, user.id)
      await writeAudit(client, user, 'logout', originOf(c).ip)
      await client.query(
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
