import { callerKey, withNetwork } from '../../budgets/callerKey.ts'
import type { Caller } from '../../../wire/claims.ts'
import type { JsonFrame } from '../../../wire/realtime.ts'
import type { JoinAddition } from '../RealtimePlugin.ts'
import { Channel, type ChannelConnection } from './channel.ts'
import type { RealtimeContext } from '../context.ts'
import { parseJoinRequest, type JoinRequest } from './joinRequest.ts'
import type { WalMessage } from '../wal/walMessage.ts'
import { readReplay } from '../broadcast/replay.ts'
import { maxTopicLength } from './subTopic.ts'
import { identifyCaller } from '../authorization/token.ts'

/** The members of a connection that a join uses. */
export interface JoiningConnection extends ChannelConnection {
  /** Topics joined or being joined. */
  readonly topicCount: number
  /** Counts a join; returns false if there were too many. */
  countJoin(): boolean
  /** Counts it as a connection of a user; returns false if that user has too many. */
  joinAs(caller: string): boolean
  end(code: number, reason: string): void
}

/** A refused join; `message` is the contract's reason (`code: sentence`). */
export class JoinRefused extends Error {
  override name = 'JoinRefused'
  readonly disconnect: boolean

  constructor(reason: string, o: { disconnect?: boolean } = {}) {
    super(reason)
    this.disconnect = o.disconnect ?? false
  }
}

const replicationTimeoutMs = 30_000
/**
 * The number of joins for which a join with an invalid token counts. Each token is verified, so invalid ones are
 * expensive.
 */
const invalidTokenCost = 10
const unavailable = 'Realtime was unable to connect to the project database'
const sessionEnded = 'Unauthorized: The session of this token has ended'
const tooSlow = 'QueryCanceled: A policy of this Channel topic took too long'

/**
 * Handles a `phx_join` on `realtime:<name>`: checks limits, token and policies in the order of the hosted service, and
 * replies. Returns the channel, or null if the join was refused.
 */
export async function joinChannel(
  context: RealtimeContext,
  connection: JoiningConnection,
  name: string,
  frame: JsonFrame,
): Promise<Channel | null> {
  let channel: Channel | null = null
  try {
    const request = parseJoinRequest(frame.payload)
    if (!request) throw new JoinRefused('UnknownErrorOnChannel: The payload of a join is a map')
    checkLimits(context, connection, name, request)
    const caller = await identifyJoiningCaller(context, connection, request)
    countJoin(context, callerKey(caller))
    if (!connection.joinAs(callerKey(caller))) {
      throw new JoinRefused('ConnectionRateLimitReached: Too many connections of this account')
    }
    channel = new Channel(context, connection, {
      name,
      joinRef: frame.joinRef,
      isPrivate: request.private,
      caller,
    })
    channel.ack = request.broadcast.ack
    channel.self = request.broadcast.self
    for (const plugin of context.plugins) plugin.prepareJoin?.(channel, request.config)
    if (channel.isPrivate) await authorize(channel)
    const replayed = request.replay ? await replay(context, channel, request.replay) : []
    const additions: JoinAddition[] = []
    for (const plugin of context.plugins) {
      if (plugin.join) additions.push(await plugin.join(channel, request.config))
    }
    if (connection.closed) {
      channel.dispose()
      return null
    }
    // A recheck has closed it while the replay was read.
    if (channel.closed) throw new JoinRefused(forbiddenMessage(channel))
    completeJoin(context, channel, { frame, request, replayed, additions })
    return channel
  } catch (error) {
    channel?.dispose()
    const refused = error instanceof JoinRefused ? error : new JoinRefused('Unknown Error on Channel')
    if (refused !== error) context.log.error('realtime.join_failed', { reason: (error as Error).message })
    connection.reply(frame, 'error', { reason: refused.message })
    if (refused.disconnect) connection.end(1008, 'Too many joins per second')
    return null
  }
}

function checkLimits(
  context: RealtimeContext,
  connection: JoiningConnection,
  name: string,
  request: JoinRequest,
): void {
  const { settings } = context
  if (name === '') throw new JoinRefused('TopicNameRequired: You must provide a topic name')
  if (name.length > maxTopicLength) throw new JoinRefused('TopicNameTooLong: The topic name is too long')
  if (settings.privateOnly && !request.private) {
    throw new JoinRefused('PrivateOnly: This project only allows private channels')
  }
  if (!connection.countJoin()) throw tooManyJoins({ disconnect: true })
  if (connection.topicCount > settings.maxChannelsPerClient) {
    throw new JoinRefused('ChannelRateLimitReached: Too many channels')
  }
}

function tooManyJoins(o: { disconnect: boolean }): JoinRefused {
  return new JoinRefused('ClientJoinRateLimitReached: Too many joins per second', o)
}

/** Counts a join for its caller. The connection is closed only if that caller itself has joined too often. */
function countJoin({ joins }: RealtimeContext, caller: string, amount = 1): void {
  if (!joins.take(caller, amount)) throw tooManyJoins({ disconnect: joins.isExcessive(caller) })
}

/** A join without a token, or with an API key as token, has the caller of the connection's key. */
async function identifyJoiningCaller(
  context: RealtimeContext,
  connection: JoiningConnection,
  request: JoinRequest,
): Promise<Caller> {
  const token = request.accessToken
  if (token === null || token.startsWith('sb_')) return connection.apiCaller
  const identified = await identifyCaller(context.verifyToken, token)
  if (!identified.ok) {
    countJoin(context, callerKey(connection.apiCaller), invalidTokenCost)
    throw new JoinRefused(`${identified.code}: ${identified.message}`)
  }
  return withNetwork(identified.caller, connection.apiCaller)
}

async function authorize(channel: Channel): Promise<void> {
  const result = await channel.evaluateReads()
  if (result.outcome === 'unavailable') throw new JoinRefused(unavailable)
  if (result.outcome === 'refused' && result.why === 'too-slow') throw new JoinRefused(tooSlow)
  if (result.outcome === 'refused' && result.why === 'session-ended') throw new JoinRefused(sessionEnded)
  const allowed = result.outcome === 'checked' ? result.allowed : []
  if (allowed.length === 0) throw new JoinRefused(forbiddenMessage(channel))
  channel.reads.broadcast = allowed.includes('broadcast')
  if (channel.readExtensions.has('presence')) channel.reads.presence = allowed.includes('presence')
}

function forbiddenMessage(channel: Channel): string {
  return `Unauthorized: You do not have permissions to read from this Channel topic: ${channel.name}`
}

async function replay(
  context: RealtimeContext,
  channel: Channel,
  request: NonNullable<JoinRequest['replay']>,
): Promise<WalMessage[]> {
  if (!channel.isPrivate) {
    throw new JoinRefused('UnableToReplayMessages: Replay is not allowed for public channels')
  }
  if (!channel.reads.broadcast) throw new JoinRefused(forbiddenMessage(channel))
  const messages = await readReplay(context.pool, channel.name, request.since, request.limit).catch(() => {
    throw new JoinRefused('UnableToReplayMessages: Realtime was unable to replay messages')
  })
  if (!messages) throw new JoinRefused('UnableToReplayMessages: Replay params are not valid')
  channel.replayed = new Set(messages.map((message) => message.id))
  return messages
}

/** Completes the join synchronously, so that a client misses no message after the `ok` reply. */
function completeJoin(
  context: RealtimeContext,
  channel: Channel,
  o: { frame: JsonFrame; request: JoinRequest; replayed: WalMessage[]; additions: JoinAddition[] },
): void {
  channel.joined = true
  context.hub.join(channel.key, channel)
  channel.sink.reply(o.frame, 'ok', Object.assign({}, ...o.additions.map(({ response }) => response)))
  for (const { broadcast } of o.replayed) {
    channel.sink.sendBroadcast(channel.name, { ...broadcast, meta: { replayed: true, ...broadcast.meta } })
  }
  for (const { onJoined } of o.additions) onJoined?.()
  if (o.request.broadcast.replicationReady) announceReplication(context, channel)
}

function announceReplication(context: RealtimeContext, channel: Channel): void {
  const timer = setTimeout(
    () => channel.shutdown('Replication connection was not established in time'),
    replicationTimeoutMs,
  ).unref()
  void context.walReader.whenReady().then(() => {
    clearTimeout(timer)
    if (!channel.closed) channel.pushSystem('ok', 'Replication connection established')
  })
}
