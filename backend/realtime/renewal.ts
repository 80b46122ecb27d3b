import type { Answer } from './authoriser.ts'
import type { Channel } from './channel.ts'
import type { RealtimeContext } from './context.ts'
import { identify } from './token.ts'

const retryMs = 250
const mostRetries = 6
const unavailable = 'Realtime was unable to connect to the project database'

/** An `access_token` event: the topic goes on with this token, or ends where it says no. */
export async function renewToken(
  context: RealtimeContext,
  channel: Channel,
  payload: unknown,
): Promise<void> {
  const token = (payload as { access_token?: unknown } | null)?.access_token
  if (typeof token !== 'string' || token.startsWith('sb_')) return
  const identified = await identify(context.verifyToken, token)
  if (channel.closed) return
  if (!identified.ok) return channel.shutdown(identified.message)
  if (identified.caller.claimsJson === channel.caller.claimsJson) return
  channel.setCaller(identified.caller)
  channel.sink.expectExpiry(channel.expiresAt)
  await recheck(channel)
}

/**
 * Asks the policies of a private topic again and ends it where they say no. Where nobody can be asked it
 * tries on for a while, and then ends the topic: a right that can't be shown does not last.
 */
export async function recheck(channel: Channel): Promise<void> {
  if (!channel.isPrivate) return
  for (let tries = 0; ; tries++) {
    const answer = await channel.evaluate()
    if (channel.closed) return
    if (answer.outcome !== 'unavailable') return apply(channel, answer)
    if (tries === mostRetries) return channel.shutdown(unavailable)
    await new Promise((resolve) => setTimeout(resolve, retryMs))
    if (channel.closed) return
  }
}

function apply(channel: Channel, answer: Answer): void {
  if (!channel.joined) {
    // Its join is under way and will say why.
    if (answer.outcome !== 'answered' || answer.allowed.length === 0) channel.dispose()
    return
  }
  if (answer.outcome === 'refused' && answer.why === 'session-ended') {
    return channel.shutdown('The session of this token has ended')
  }
  const allowed = answer.outcome === 'answered' ? answer.allowed : []
  const revoked = (['broadcast', 'presence'] as const).some(
    (extension) => channel.reads[extension] === true && !allowed.includes(extension),
  )
  if (revoked || allowed.length === 0) {
    return channel.shutdown(`You no longer have permission to read from this Channel topic: ${channel.name}`)
  }
  channel.reads.broadcast = allowed.includes('broadcast')
  if (channel.usesPresence) channel.reads.presence = allowed.includes('presence')
  channel.writes = { broadcast: null, presence: null }
}
