import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Hono } from 'hono'
import type pg from 'pg'
import { WebSocketServer } from 'ws'
import type { Caller, ServiceEnv, VerifyToken } from '../../wire/claims.ts'
import { createBudget, type Budget } from '../budgets/createBudget.ts'
import type { Config } from '../config/loadConfig.ts'
import type { Logger } from '../logging/logger.ts'
import type { Pool } from '../postgres/connections/pool.ts'
import { createAdmission } from './sockets/admission.ts'
import { createAuthorizer } from './authorization/authorizer.ts'
import { broadcastRoutes } from './broadcast/broadcastRoutes.ts'
import { createPostgresChanges } from './postgresChanges/createPostgresChanges.ts'
import { Connection } from './sockets/connection.ts'
import { createFrameScheduler } from './sockets/createFrameScheduler.ts'
import type { RealtimeContext } from './context.ts'
import { createHub } from './hub.ts'
import { createMessageReader } from './wal/walMessage.ts'
import { createMessageStore } from './broadcast/messageStore.ts'
import { createWalReader } from './wal/walReader.ts'
import { startPermissionRecheck } from './authorization/permissionRecheck.ts'
import { maintainPartitions } from './broadcast/partitions.ts'
import { createPresence } from './presence/presence.ts'
import { createRateCounter } from './rateCounter.ts'
import { createRateShares } from './rateShares.ts'
import { createRecheckListener } from './authorization/recheckListener.ts'
import { createRelay } from './wal/relay.ts'
import { recheck } from './authorization/renewal.ts'
import { drainConnections } from './sockets/drainConnections.ts'
import { readSettings } from './settings.ts'
import { createUserIndex } from './authorization/userIndex.ts'
import { watchConnections } from './sockets/watchConnections.ts'

export interface RealtimeDeps {
  /** Of `supabase_realtime_admin`; three connections of it are used at once for authorisation. */
  pool: Pool
  /** For reading the log and for LISTEN: of a role that may replicate, as `supabase_realtime_admin` may. */
  replication: pg.ClientConfig
  verifyToken: VerifyToken
  config: Config
  /** Bytes that are buffered, of all services. */
  buffered: Budget
  log: Logger
}

export interface RealtimeStats {
  sockets: number
  topics: number
  /** Messages that were written to a socket, since the start. */
  deliveries: number
  /** Readers that were dropped because they did not read. */
  dropped: number
  /** Is the log of PostgreSQL being read? */
  replicating: boolean
  /** Joins that were asked for, since the start. */
  joins: number
  /** Subscriptions to changes of tables, changes that wait to be told, and their log: null while nobody asks. */
  subscriptions: number
  changesWaiting: number
  changesWal: { lagBytes: number; delayMs: number; gaps: number } | null
  /** Presences shown, each device counted. */
  presences: number
  /** How much of the log waited when last looked. */
  walLagBytes: number
  /** From its commit to its reading, for the last transaction. */
  walDelayMs: number
  /** How often a part of the log could not be read. */
  walGaps: number
}

export interface RealtimeService {
  /** Broadcast by HTTP, with paths relative to `/realtime/v1`. */
  app: Hono<ServiceEnv>
  /** Takes over an upgrade of `/realtime/v1/websocket` whose API key was checked. */
  handleUpgrade(req: IncomingMessage, socket: Duplex, head: Buffer, apiCaller: Caller): void
  stats(): RealtimeStats
  /** Resolves once messages from the database are being told. */
  ready(): Promise<void>
  /** Says goodbye to all sockets (1012, restart), within a second, and ends what runs. */
  close(): Promise<void>
}

/** Room for a frame's envelope beside its payload. */
const envelopeBytes = 64 * 1024
/** Larger frames end the connection, as on the hosted service; between the two a frame is answered. */
const maxFrameBytes = 5_000_000

/** The realtime service of the contract. Throws ConfigError on a bad `[realtime]`. */
export function createRealtimeService(deps: RealtimeDeps): RealtimeService {
  const { pool, verifyToken, config, log } = deps
  const settings = readSettings(config)
  const connections = new Set<Connection>()
  let dropped = 0
  /** Deliveries past the hub. */
  let presenceDeliveries = 0
  let closing = false

  const events = createRateCounter(settings.maxEventsPerSecond)
  const users = createUserIndex()
  const hub = createHub({
    log,
    onDelivered(key, deliveries, extension) {
      if (extension === 'presence') return
      events.add(deliveries)
      if (!events.exceeded()) return
      for (const channel of users.all()) {
        if (channel.joined && channel.key === key) channel.shutdown('Too many messages per second')
      }
    },
  })
  const relay = createRelay({
    hub,
    pool,
    events,
    maxPayloadBytes: settings.maxPayloadBytes,
    position: () => walReader.position(),
    onLost() {
      for (const channel of users.all()) {
        if (channel.joined) channel.pushSystem('error', 'Messages were lost: fetch again what they told of')
      }
    },
    log,
  })
  const walReader = createWalReader({
    config: deps.replication,
    pool,
    maxLagBytes: settings.maxWalLagBytes,
    publication: 'supabase_realtime_messages_publication',
    name: 'messages',
    open() {
      const read = createMessageReader()
      return (data) => {
        const message = read(data)
        if (message) relay.publishFromWal(message)
      }
    },
    onGap: relay.fillGap,
    log,
  })
  const context: RealtimeContext = {
    settings,
    pool,
    verifyToken,
    authorizer: createAuthorizer(pool, log),
    hub,
    presence: createPresence(hub, {
      add(diffs) {
        presenceDeliveries += diffs
      },
    }),
    users,
    walReader,
    messages: createMessageStore(pool, log),
    changes: createPostgresChanges({
      pool,
      replication: deps.replication,
      maxLagBytes: settings.maxWalLagBytes,
      events,
      log,
    }),
    events,
    joins: createRateShares(settings.maxJoinsPerSecond),
    clientEvents: createRateShares(Infinity, { maxPerCaller: settings.maxClientEventsPerSecond }),
    frameScheduler: createFrameScheduler(),
    buffered: deps.buffered,
    personConnections: createBudget({
      capacity: Infinity,
      maxPerCaller: settings.maxConnectionsPerPerson,
    }),
    presenceEvents: createRateShares(settings.maxPresenceEventsPerSecond),
    log,
  }
  const recheckAll = (channels: Iterable<Parameters<typeof recheck>[0]>): void => {
    for (const channel of channels) void recheck(channel)
  }
  const recheckListener = createRecheckListener({
    config: deps.replication,
    onUser: (userId) => recheckAll(users.of(userId)),
    onAll: () => recheckAll(users.all()),
    log,
  })
  const partitions = maintainPartitions(pool, log)
  const watch = watchConnections(connections, settings.joinTimeoutMs)
  const permissionRecheck = startPermissionRecheck(users, settings.recheckIntervalMs)
  const admission = createAdmission(settings)
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    // Answered by the connection, within its bounds.
    autoPong: false,
    // A text that is none is passed over like any other malformed frame, which the reader of frames does.
    skipUTF8Validation: true,
    maxPayload: Math.max(settings.maxPayloadBytes + envelopeBytes, maxFrameBytes),
  })

  return {
    app: broadcastRoutes(context),
    ready: () => walReader.whenReady(),
    handleUpgrade(req, socket, head, apiCaller) {
      if (closing) return refuse(socket, 503, 'Realtime is restarting, please standby')
      const admitted = admission.enter(req)
      if ('status' in admitted) return refuse(socket, admitted.status, admitted.message)
      socket.once('close', admitted.leave)
      sockets.handleUpgrade(req, socket, head, (webSocket) => {
        connections.add(
          new Connection(context, {
            webSocket,
            socket: socket as Socket,
            version: admitted.version,
            apiCaller,
            onClose: (connection) => connections.delete(connection),
            onDropped: () => (dropped += 1),
          }),
        )
      })
    },
    stats() {
      const { topics, deliveries } = hub.stats()
      const changes = context.changes.stats()
      const messageWal = walReader.stats()
      return {
        sockets: connections.size,
        topics,
        deliveries: deliveries + changes.deliveries + presenceDeliveries,
        dropped,
        replicating: walReader.ready(),
        joins: context.joins.total(),
        subscriptions: changes.subscriptions,
        changesWaiting: changes.waiting,
        changesWal: changes.log,
        presences: context.presence.stats().members,
        walLagBytes: messageWal.lagBytes,
        walDelayMs: messageWal.delayMs,
        walGaps: messageWal.gaps,
      }
    },
    async close() {
      closing = true
      watch.close()
      permissionRecheck.close()
      context.messages.close()
      relay.close()
      partitions.close()
      // First, or those who are told first would be seen to leave by all who are told later.
      context.presence.close()
      await drainConnections(connections)
      await Promise.all([walReader.close(), context.changes.close(), recheckListener.close()])
    },
  }
}

function refuse(socket: Duplex, status: number, message: string): void {
  const body = JSON.stringify({ error: message })
  const head = [
    `HTTP/1.1 ${status} ${message}`,
    'Connection: close',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ]
  socket.once('error', () => socket.destroy())
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
