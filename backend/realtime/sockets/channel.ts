import type { Caller } from '../../../wire/claims.ts'
import type { Ref } from '../../../wire/realtime.ts'
import type { PermissionResult, Extension, Permission } from '../authorization/authorizer.ts'
import type { Connection } from './connection.ts'
import type { RealtimeContext } from '../context.ts'
import type { Subscriber } from '../hub.ts'
import { topicKey, wireTopic } from './subTopic.ts'

/** What the caller may do; null: not asked yet. */
type Permissions<R extends Permission> = Record<R, boolean | null>

/** A topic of one connection, from its join on. */
export class Channel implements Subscriber {
  readonly sink: Connection
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
  usesPresence = false
  presenceKey = ''
  presenceCalls: { count: number; until: number } | null = null
  reads: Permissions<Extension>
  writes: Permissions<Permission>
  readonly #context: RealtimeContext
  #evaluating: Promise<PermissionResult> | null = null
  #isStale = false
  /** Rises with each evaluation: an answer asked for before it is not kept after it. */
  #evaluations = 0

  constructor(
    context: RealtimeContext,
    connection: Connection,
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
    // Public topics keep nothing.
    this.writes = { broadcast: cached, presence: cached, persistence: o.isPrivate ? null : false }
    context.users.add(this)
  }

  /** When the token ends, in ms since 1970. */
  get expiresAt(): number {
    return (this.caller.claims.exp ?? Infinity) * 1000
  }

  setCaller(caller: Caller): void {
    this.#context.users.remove(this)
    this.caller = caller
    this.#context.users.add(this)
  }

  /**
   * Asks the policies what this caller may read. What changes while they are asked (another token, a
   * recheck) has them asked again, so that no answer outlives what it was given for.
   */
  evaluateReads(): Promise<PermissionResult> {
    this.#evaluations++
    if (this.#evaluating) {
      this.#isStale = true
      return this.#evaluating
    }
    this.#evaluating = this.#checkReads().finally(() => {
      this.#evaluating = null
    })
    return this.#evaluating
  }

  async #checkReads(): Promise<PermissionResult> {
    const extensions: Extension[] = this.usesPresence ? ['broadcast', 'presence'] : ['broadcast']
    for (;;) {
      this.#isStale = false
      const { caller, name } = this
      const isCancelled = (): boolean => this.closed || this.sink.closed
      const check = { caller, topic: name, verb: 'read' as const, extensions, isOver: isCancelled }
      const result = await this.#context.authorizer.check(check)
      if (this.#isStale && !this.closed) continue
      return result
    }
  }

  /** May it write here? Asked once for each token, at the first attempt. */
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

  /** Has each right to write asked for anew, at the next attempt. */
  resetWrites(): void {
    if (this.isPrivate) this.writes = { broadcast: null, presence: null, persistence: null }
  }

  /**
   * Asks again for the rights to write that it has, and forgets those that it was refused. What is known
   * counts meanwhile: a speaker is not held up each time. Who may no longer show himself is hidden.
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
    if (granted.includes('presence') && !writes.presence) this.#context.presence.untrack(this)
  }

  push(event: string, payload: unknown): void {
    this.sink.send({ joinRef: this.joinRef, ref: null, topic: wireTopic(this.name), event, payload })
  }

  pushSystem(status: 'ok' | 'error', message: string, extension = 'system'): void {
    this.push('system', { extension, status, message, channel: this.name })
  }

  /** Ends the topic and says why; the client may join it again. */
  shutdown(message: string): void {
    if (this.closed) return
    this.pushSystem('error', message)
    this.close()
  }

  /** Ends the topic. After a `phx_error` realtime-js joins it again by itself, after a `phx_close` it does not. */
  close(event: 'phx_close' | 'phx_error' = 'phx_close'): void {
    if (this.closed) return
    this.dispose()
    const { joinRef } = this
    this.sink.send({ joinRef, ref: joinRef, topic: wireTopic(this.name), event, payload: {} })
  }

  /** Forgets it everywhere, silently. */
  dispose(): void {
    if (this.closed) return
    this.closed = true
    this.#context.users.remove(this)
    this.#context.hub.leave(this.key, this)
    this.#context.changes.unsubscribe(this)
    this.#context.presence.leave(this)
    this.sink.removeChannel(this)
  }
}
