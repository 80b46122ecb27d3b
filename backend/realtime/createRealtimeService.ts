import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Hono } from 'hono'
import type pg from 'pg'
import { WebSocketServer } from 'ws'
import type { Caller, ServiceEnv, VerifyToken } from '../../wire/claims.ts'
import { createBudget, serverCallerKey } from '../budgets/createBudget.ts'
import type { Budgets } from '../budgets/createBudgets.ts'
import type { Config } from '../config/loadConfig.ts'
import { createRepeatedWarning } from '../logging/createRepeatedWarning.ts'
import type { Logger } from '../logging/logger.ts'
import { createNotificationListener } from '../postgres/connections/createNotificationListener.ts'
import type { Pool } from '../postgres/connections/pool.ts'
import { createAdmission } from './sockets/admission.ts'
import { createAuthorizer } from './authorization/authorizer.ts'
import { broadcastRoutes } from './broadcast/broadcastRoutes.ts'
import { Connection } from './sockets/connection.ts'
import type { CreateRealtimePlugin, RealtimeContext } from './context.ts'
import { createHub } from './hub.ts'
import { createMessageReader } from './wal/walMessage.ts'
import { createMessageStore } from './broadcast/messageStore.ts'
import { createWalReader } from './wal/walReader.ts'
import { startPermissionRecheck } from './authorization/permissionRecheck.ts'
import { maintainPartitions } from './broadcast/partitions.ts'
import type { PluginStats, RealtimePlugin } from './RealtimePlugin.ts'
import { createRateShares } from './rateShares.ts'
import { createRelay } from './wal/relay.ts'
import { endSubscription, recheck } from './authorization/renewal.ts'
import { drainConnections } from './sockets/drainConnections.ts'
import { readSettings } from './settings.ts'
import { createChannelIndex } from './authorization/channelIndex.ts'
import { watchConnections } from './sockets/watchConnections.ts'

export interface RealtimeDeps {
  /** A pool of `supabase_realtime_admin`. Authorization uses up to three of its connections. */
  pool: Pool
  /** A pool of the same role with one connection, whose process has a lower priority. */
  lowPool: Pool
  /** The login for reading the WAL and for LISTEN. Its role has REPLICATION, such as `supabase_realtime_admin`. */
  replication: pg.ClientConfig
  verifyToken: VerifyToken
  config: Config
  /** The parts of the protocol other than broadcasts. */
  plugins: CreateRealtimePlugin[]
  budgets: Pick<Budgets, 'bytes' | 'scheduler'>
  /** Called after rows were committed to another table of the publication, and when this may have been missed. */
  onOtherRows: () => void
  log: Logger
}

export interface RealtimeStats extends PluginStats {
  sockets: number
  topics: number
  /** The number of messages written to sockets since the start, including messages of plugins. */
  deliveries: number
  /** The number of connections that were closed because the client did not read. */
  dropped: number
  /** Whether the WAL is being read. */
  replicating: boolean
  /** Requests to join since the start. */
  joins: number
  /** Unread WAL at the last check. */
  walLagBytes: number
  /** Time between commit and delivery of the last transaction. */
  walDelayMs: number
  /** How often a part of the WAL could not be read. */
  walGaps: number
}

export interface RealtimeService {
  /** The routes of broadcasts over HTTP, with paths relative to `/realtime/v1`. */
  app: Hono<ServiceEnv>
  /** Handles an upgrade of `/realtime/v1/websocket` whose API key was checked. */
  handleUpgrade(req: IncomingMessage, socket: Duplex, head: Buffer, apiCaller: Caller): void
  stats(): RealtimeStats
  /** Resolves once messages of the database are being delivered. */
  ready(): Promise<void>
  /** Closes all sockets (1012, service restart) within a second, and stops all components. */
  close(): Promise<void>
}

/** The number of bytes that the envelope of a frame may add to its payload. */
const envelopeBytes = 64 * 1024
/**
 * The size of a frame above which the connection is closed, as in the hosted service. A frame between the two limits
 * gets an error reply.
 */
const maxFrameBytes = 5_000_000

/**
 * Creates the realtime service with the API of Supabase Realtime. README.md in this directory describes the path of a
 * message. Throws ConfigError for an invalid `[realtime]`.
 */
export function createRealtimeService(deps: RealtimeDeps): RealtimeService {
  const { pool, verifyToken, config, log } = deps
  const settings = readSettings(config)
  const connections = new Set<Connection>()
  let dropped = 0
  let closing = false

  const events = createRateShares(settings.maxEventsPerSecond, {
    maxPerCaller: settings.maxClientEventsPerSecond,
  })
  const warnOfDropped = createRepeatedWarning(log, 'realtime.messages_dropped')
  const takeDatabaseEvents = (amount: number, topic: string): boolean => {
    if (events.take(serverCallerKey, amount)) return true
    warnOfDropped(1, { topic, reason: 'max_events_per_second is reached' })
    return false
  }
  const channelIndex = createChannelIndex()
  const hub = createHub(log)
  const relay = createRelay({
    hub,
    pool,
    takeDatabaseEvents,
    maxPayloadBytes: settings.maxPayloadBytes,
    position: () => walReader.position(),
    endSubscriptions(topic, users) {
      hub.flush()
      for (const channel of users.flatMap((user) => channelIndex.ofUser(user)))
        if (channel.isPrivate && channel.name === topic) endSubscription(channel)
    },
    onLost() {
      for (const channel of channelIndex.all()) {
        if (channel.joined) channel.pushSystem('error', 'Messages were lost: fetch current data again')
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
      const read = createMessageReader(deps.onOtherRows)
      return (data) => {
        const message = read(data)
        if (message) relay.publishFromWal(message)
      }
    },
    async onGap() {
      deps.onOtherRows()
      await relay.fillGap()
    },
    log,
  })
  const plugins: RealtimePlugin[] = []
  const context: RealtimeContext = {
    settings,
    pool,
    replication: deps.replication,
    verifyToken,
    authorizer: createAuthorizer(pool, deps.lowPool, log),
    hub,
    channelIndex,
    walReader,
    messages: createMessageStore(pool, log),
    plugins,
    events,
    takeDatabaseEvents,
    joins: createRateShares(settings.maxJoinsPerSecond),
    scheduler: deps.budgets.scheduler,
    bufferedBytes: deps.budgets.bytes,
    personConnections: createBudget({
      capacity: Infinity,
      maxPerCaller: settings.maxConnectionsPerPerson,
    }),
    log,
  }
  plugins.push(...deps.plugins.map((create) => create(context)))
  const recheckAll = (channels: Iterable<Parameters<typeof recheck>[0]>): void => {
    for (const channel of channels) void recheck(channel)
  }
  // Data that the permissions of this user, or of all, depend on have changed. Any notification may have been missed
  // before a reconnect.
  const recheckListener = createNotificationListener({
    config: deps.replication,
    channel: 'realtime_recheck',
    name: 'realtime recheck',
    maxDelayMs: 2_000,
    onConnected: (isReconnect) => isReconnect && recheckAll(channelIndex.all()),
    onMessage: (userId) => recheckAll(userId === '' ? channelIndex.all() : channelIndex.ofUser(userId)),
    onLost: (reason) => log.warn('realtime.recheck_interrupted', { reason }),
  })
  const partitions = maintainPartitions(pool, log)
  const watch = watchConnections(connections, settings.joinTimeoutMs)
  const permissionRecheck = startPermissionRecheck(channelIndex, settings.recheckIntervalMs)
  const admission = createAdmission(settings)
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    // Pongs are sent by the connection, which bounds unsent data.
    autoPong: false,
    // A text frame with invalid UTF-8 is ignored by the frame parser like any other malformed frame.
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
      const pluginStats = plugins.map((plugin) => plugin.stats())
      const messageWal = walReader.stats()
      return {
        subscriptions: 0,
        changesWaiting: 0,
        changesWal: null,
        presences: 0,
        ...Object.assign({}, ...pluginStats),
        sockets: connections.size,
        topics,
        deliveries: pluginStats.reduce((sum, stats) => sum + (stats.deliveries ?? 0), deliveries),
        dropped,
        replicating: walReader.ready(),
        joins: context.joins.total(),
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
      for (const plugin of plugins) plugin.stop?.()
      await drainConnections(connections)
      await Promise.all([
        walReader.close(),
        recheckListener.close(),
        ...plugins.map((plugin) => plugin.close?.()),
      ])
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
