import type { Caller } from '../../../wire/claims.ts'
import type { Broadcast, ClientFrame, JsonFrame, Ref } from '../../../wire/realtime.ts'
import type { Authorizer, PermissionResult } from '../authorization/authorizer.ts'
import type { Extension, Permission } from '../authorization/checkPolicies.ts'
import type { Sink, Subscriber } from '../hub.ts'
import { topicKey, wireTopic } from './subTopic.ts'

/** What a topic uses of its connection. */
export interface ChannelConnection extends Sink {
  readonly closed: boolean
  readonly apiCaller: Caller
  send(frame: JsonFrame): void
  sendBroadcast(name: string, broadcast: Broadcast): void
  reply(to: ClientFrame, status: 'ok' | 'error', response: unknown): void
  /** Closes topics whose token has expired or whose session has ended at this time, in ms since 1970. */
  scheduleExpiry(at: number): void
  removeChannel(channel: Channel): void
}

/** What a topic uses of a plugin. */
export interface ChannelPlugin {
  /** The caller may no longer write this. */
  onWriteRevoked?(channel: Channel, permission: Permission): void
  /** The topic was closed, or not joined. */
  leave(channel: Channel): void
}

/** What a topic uses of the service. */
export interface ChannelContext {
  authorizer: Authorizer
  channelIndex: { add(channel: Channel): void; remove(channel: Channel): void }
  hub: { leave(key: string, subscriber: Subscriber): void }
  plugins: readonly ChannelPlugin[]
}

/** What the caller may do; null if not checked yet. */
type Permissions<R extends Permission> = Record<R, boolean | null>

/** A topic that one connection has joined or is joining. */
export class Channel implements Subscriber {
  readonly sink: ChannelConnection
  /** Without `realtime:`. */
  readonly name: string
  readonly joinRef: Ref
  readonly isPrivate: boolean
  readonly key: string
  caller: Caller
  joined = false
  closed = false
  ack = false
  self = false
  replayed: ReadonlySet<string> | null = null
  /** What its subscriber receives, as far as its caller may read it. */
  readonly readExtensions = new Set<Extension>(['broadcast'])
  reads: Permissions<Extension>
  writes: Permissions<Permission>
  readonly #context: ChannelContext
  #evaluating: Promise<PermissionResult> | null = null
  #isStale = false
  /** Incremented by each evaluation, so that results requested before it are not cached. */
  #evaluations = 0
  /** Known from the last check of its policies. */
  #sessionEndsAt = Infinity

  constructor(
    context: ChannelContext,
    connection: ChannelConnection,
    o: { name: string; joinRef: Ref; isPrivate: boolean; caller: Caller },
  ) {
    this.#context = context
    this.sink = connection
    this.name = o.name
    this.joinRef = o.joinRef
    this.isPrivate = o.isPrivate
    this.key = topicKey(o.name, o.isPrivate)
    this.caller = o.caller
    const cached = o.isPrivate ? null : true
    this.reads = { broadcast: cached, presence: cached }
    // Messages of public topics are not stored.
    this.writes = { broadcast: cached, presence: cached, persistence: o.isPrivate ? null : false }
    context.channelIndex.add(this)
  }

  /** When the token expires or its session ends, in ms since 1970. */
  get expiresAt(): number {
    return Math.min((this.caller.claims.exp ?? Infinity) * 1000, this.#sessionEndsAt)
  }

  setCaller(caller: Caller): void {
    this.#context.channelIndex.remove(this)
    this.caller = caller
    this.#sessionEndsAt = Infinity
    this.#context.channelIndex.add(this)
  }

  /**
   * Checks what this caller may read. A change during the check (a new token, a recheck) repeats it, so that a result
   * always belongs to the current state.
   */
  evaluateReads(): Promise<PermissionResult> {
    this.#evaluations++
    if (this.#evaluating) {
      this.#isStale = true
      return this.#evaluating
    }
    this.#evaluating = this.#checkReads()
    return this.#evaluating
  }

  async #checkReads(): Promise<PermissionResult> {
    for (;;) {
      this.#isStale = false
      const { caller, name } = this
      const extensions = [...this.readExtensions]
      const result = await this.#context.authorizer.check({
        caller,
        topic: name,
        verb: 'read',
        extensions,
        // Once joined, permissions that have ended must end at once.
        canYield: !this.joined,
        isCancelled: () => this.closed || this.sink.closed,
      })
      if (this.#isStale && !this.closed) continue
      if (result.outcome === 'checked') {
        this.#sessionEndsAt = result.sessionEndsAt
        this.sink.scheduleExpiry(this.expiresAt)
      }
      // At once: a request that follows must not get this result.
      this.#evaluating = null
      return result
    }
  }

  /** Whether the caller may write. Checked once per token, at the first attempt. */
  async canWrite(extension: Permission): Promise<boolean> {
    const { caller, name } = this
    const cached = this.writes[extension]
    if (cached !== null) return cached
    const evaluations = this.#evaluations
    const result = await this.#context.authorizer.check({
      caller,
      topic: name,
      verb: 'write',
      extensions: [extension],
    })
    if (result.outcome !== 'checked') return false
    const allowed = result.allowed.includes(extension)
    if (this.#evaluations === evaluations) this.writes[extension] = allowed
    return allowed
  }

  /** Clears the cached write permissions, so that each is checked at the next attempt. */
  resetWrites(): void {
    if (this.isPrivate) this.writes = { broadcast: null, presence: null, persistence: null }
  }

  /**
   * Checks granted write permissions again, and clears denied ones. Cached results remain valid meanwhile, so that senders
   * are not delayed.
   */
  async recheckWrites(): Promise<void> {
    const { caller, name, writes } = this
    const evaluations = this.#evaluations
    const permissions = Object.keys(writes) as Permission[]
    const granted = permissions.filter((permission) => writes[permission] === true)
    for (const permission of permissions) if (writes[permission] === false) writes[permission] = null
    if (granted.length === 0) return
    const result = await this.#context.authorizer.check({
      caller,
      topic: name,
      verb: 'write',
      extensions: granted,
    })
    if (result.outcome === 'unavailable' || this.#evaluations !== evaluations) return
    const allowed = result.outcome === 'checked' ? result.allowed : []
    for (const permission of granted) writes[permission] = allowed.includes(permission)
    for (const permission of granted.filter((one) => !writes[one])) {
      for (const plugin of this.#context.plugins) plugin.onWriteRevoked?.(this, permission)
    }
  }

  push(event: string, payload: unknown): void {
    this.sink.send({ joinRef: this.joinRef, ref: null, topic: wireTopic(this.name), event, payload })
  }

  pushSystem(status: 'ok' | 'error', message: string, extension = 'system'): void {
    this.push('system', { extension, status, message, channel: this.name })
  }

  /** Closes the topic with a message; the client may join it again. */
  shutdown(message: string): void {
    if (this.closed) return
    this.pushSystem('error', message)
    this.close()
  }

  /** Closes the topic. After a `phx_error` realtime-js joins it again automatically, after a `phx_close` it does not. */
  close(event: 'phx_close' | 'phx_error' = 'phx_close'): void {
    if (this.closed) return
    this.dispose()
    const { joinRef } = this
    this.sink.send({ joinRef, ref: joinRef, topic: wireTopic(this.name), event, payload: {} })
  }

  /** Removes it everywhere without a message to the client. */
  dispose(): void {
    if (this.closed) return
    this.closed = true
    this.#context.channelIndex.remove(this)
    this.#context.hub.leave(this.key, this)
    for (const plugin of this.#context.plugins) plugin.leave(this)
    this.sink.removeChannel(this)
  }
}
