import { withNetwork } from '../../budgets/callerKey.ts'
import type { PermissionResult } from './authorizer.ts'
import type { Channel } from '../sockets/channel.ts'
import type { RealtimeContext } from '../context.ts'
import { identifyCaller, sessionEndedMessage } from './token.ts'

const retryDelayMs = 250
const maxRetries = 6
const unavailable = 'Realtime was unable to connect to the project database'
const tooSlow = 'Query was cancelled, please try again'
const extensions = ['broadcast', 'presence'] as const

/** Handles an `access_token` event: the topic continues with this token, or is closed if the token is invalid. */
export async function renewToken(
  context: RealtimeContext,
  channel: Channel,
  payload: unknown,
): Promise<void> {
  const token = (payload as { access_token?: unknown } | null)?.access_token
  if (typeof token !== 'string' || token.startsWith('sb_')) return
  const identified = await identifyCaller(context.verifyToken, token)
  if (channel.closed) return
  if (!identified.ok) return channel.shutdown(identified.message)
  if (identified.caller.claimsJson === channel.caller.claimsJson) return
  channel.setCaller(withNetwork(identified.caller, channel.sink.apiCaller))
  // The token may belong to another user.
  channel.resetWrites()
  channel.sink.scheduleExpiry(channel.expiresAt)
  await recheck(channel)
  if (channel.closed) return
  for (const plugin of context.plugins) plugin.onNewToken?.(channel)
}

/**
 * Checks the policies of a private topic again and closes it if they deny it. While the database is unavailable it
 * retries for a while, and then closes the topic: a permission that cannot be verified ends.
 */
export async function recheck(channel: Channel): Promise<void> {
  if (!channel.isPrivate) return
  for (let retries = 0; ; retries++) {
    const [result] = await Promise.all([channel.evaluateReads(), channel.recheckWrites()])
    if (channel.closed) return
    if (result.outcome !== 'unavailable') return applyResult(channel, result)
    if (retries === maxRetries) return channel.shutdown(unavailable)
    await new Promise((resolve) => setTimeout(resolve, retryDelayMs))
    if (channel.closed) return
  }
}

/**
 * Sets the permissions of a private topic to a new result, or closes it if one was revoked. A topic that is still being
 * joined is closed without a message, since the reply to its join contains the reason.
 */
export function applyResult(channel: Channel, result: PermissionResult): void {
  const allowed = result.outcome === 'checked' ? result.allowed : []
  const revoked = extensions.some(
    (extension) => channel.reads[extension] === true && !allowed.includes(extension),
  )
  if (revoked || allowed.length === 0) return endSubscription(channel, reasonOf(channel, result))
  channel.reads.broadcast = allowed.includes('broadcast')
  if (channel.readExtensions.has('presence')) channel.reads.presence = allowed.includes('presence')
}

/** Closes a topic, or refuses a join that is under way. */
export function endSubscription(channel: Channel, reason = noLongerPermitted(channel)): void {
  if (channel.joined) channel.shutdown(reason)
  else channel.dispose()
}

function noLongerPermitted(channel: Channel): string {
  return `You no longer have permission to read from this Channel topic: ${channel.name}`
}

function reasonOf(channel: Channel, result: PermissionResult): string {
  if (result.outcome === 'refused') {
    if (result.why === 'session-ended') return sessionEndedMessage
    if (result.why === 'too-slow') return tooSlow
  }
  return noLongerPermitted(channel)
}
