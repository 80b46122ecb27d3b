import { Hono, type Context } from 'hono'
import type { ServiceEnv, VerifyToken } from '../../wire/claims.ts'
import type {
  BackupStatus,
  SaveSettings,
  ServerSettings,
  SettingChanges,
  SettingsRefusal,
} from '../../wire/serverSettings.ts'
import type { Config } from '../config/loadConfig.ts'
import { ConfigError, loadConfig } from '../config/loadConfig.ts'
import {
  ownerOfSettings,
  parseSettings,
  readSettingsText,
  renderSettings,
  revisionOf,
  settingsFile,
  type StoredSettings,
} from '../config/settingsFile.ts'
import type { Logger } from '../logging/logger.ts'
import type { Pool } from '../postgres/connections/pool.ts'
import { runAsCaller } from '../postgres/connections/runAsCaller.ts'
import { callCommand, noWorkspace } from '../runtime/callCommand.ts'
import { replaceFile } from '../runtime/durableFiles.ts'
import { readRequestBody } from '../runtime/readRequestBody.ts'
import type { Smtp } from '../runtime/smtp/smtpOptions.ts'
import { createAddressProbe } from '../health/checkAddress.ts'
import { applyChanges, describeSettings, findChanged } from './describeSettings.ts'
import {
  refuseInvalid,
  requireChangeable,
  requireSecretsAgain,
  requireSignIn,
  SettingsRefused,
  type OwnMethods,
} from './refusals.ts'
import { sendTestMail } from './sendTestMail.ts'

/** How the command line starts this server, for the page "Server". */
export interface SettingsOfCommand {
  /** Options of the command line, by the key that they override. */
  options: Readonly<Record<string, string>>
  /** Reads the options of the start. Throws ConfigError for settings with which the server would not start. */
  check: (config: Config) => void
  /** Restarts the server in this process; null if it can't. */
  restart: (() => void) | null
  /** Why the last start with changed settings failed; null if it did not. */
  undone: string | null
}

/** The backups of the running server. See `BackupService`. */
export interface Backups {
  request(): void
  read(): {
    isRunning: boolean
    backup: { at: string; addedBytes: number; dir: string; commandFailure: string | null } | null
    failure: { at: string; reason: string } | null
  }
}

export interface ServerSettingsOptions {
  dataDir: string
  /** The configuration that this server started with. */
  config: Config
  /** Throws ConfigError for values that a service refuses. */
  validate: (config: Config) => void
  readSmtp: (config: Config) => Smtp | null
  /** Whether an account has a password and a passkey. */
  findOwnMethods: (userId: string) => Promise<Omit<OwnMethods, 'providers'>>
  command: SettingsOfCommand
  /** The address of this server on this machine, and its public address; available once the server listens. */
  localUrl: () => string
  url: () => string
  publishableKey: string
  verifyToken: VerifyToken
  /** Null if this server makes no backups; available once the server listens. */
  backups: () => Backups | null
  /** Whether this is a restored copy, which sends nothing and makes no backups. */
  isOutgoingPaused: () => boolean
  /** A pool that can act as service_role. */
  pool: Pool
  log: Logger
}

export interface ServerSettingsService {
  /** The routes, which the gateway mounts at /server/v1. */
  app: Hono<ServiceEnv>
  /** Records a request by which the server checks a new public address. */
  receiveProbe(value: string): void
}

const maxBodyBytes = 64 * 1024
const maxChanges = 100
const serviceRole = { role: 'service_role', claims: { role: 'service_role' } }
const serviceCaller = { ...serviceRole, claimsJson: JSON.stringify(serviceRole.claims) }

/** The owner who sent a request. */
interface Owner {
  accountId: string
  profileId: string
  email: string | null
  providers: string[]
}

/**
 * Creates the routes by which owners of the first workspace change the settings of this server. The settings are stored in
 * settings.json of the data directory. The next start uses them.
 */
export function createServerSettings(o: ServerSettingsOptions): ServerSettingsService {
  const app = new Hono<ServiceEnv>()
  const startedAt = new Date().toISOString()
  const places = { dataDir: o.dataDir, options: o.command.options }
  let address = ''
  const probe = createAddressProbe({ url: () => address, publishableKey: o.publishableKey })
  /** Saves run one after the other, so that none overwrites another. */
  let saving: Promise<unknown> = Promise.resolve()

  const load = (stored: StoredSettings): Config => loadConfig(o.config.dir, o.dataDir, stored)
  const check = (config: Config): void => {
    o.command.check(config)
    o.validate(config)
  }
  const describe = (text: string | null): ServerSettings => {
    const config = load(parseSettings(text, o.dataDir))
    return {
      revision: revisionOf(text),
      settings: describeSettings(config, places),
      waiting: findChanged(o.config, config),
      canRestart: o.command.restart !== null,
      startedAt,
      undone: o.command.undone,
    }
  }

  /** The candidate for changes, parsed and checked as at a start. */
  const prepare = (
    text: string | null,
    changes: SettingChanges,
  ): { stored: StoredSettings; before: Config; config: Config } => {
    const current = parseSettings(text, o.dataDir)
    const before = load(current)
    requireChangeable(changes, before, places)
    requireSecretsAgain(current, changes)
    const stored = applyChanges(current, changes)
    const config = refuseInvalid(() => {
      const candidate = load(stored)
      check(candidate)
      return candidate
    }, o.dataDir)
    return { stored, before, config }
  }

  const requireReachable = async (before: Config, config: Config): Promise<void> => {
    const next = config.at('server.public_url', '')
    if (next === '' || next === before.at('server.public_url', '')) return
    address = new URL(next).origin
    const { outcome, reason } = await probe.send()
    if (outcome === 'reached') return
    const found = outcome === 'other_server' ? 'Another server responds' : 'This server is not reachable'
    throw new SettingsRefused(
      'address_unreachable',
      `${found} at ${address}. ${reason}`.trim(),
      'server.public_url',
    )
  }

  const save = async (owner: Owner, body: SaveSettings): Promise<ServerSettings> => {
    const text = readSettingsText(o.dataDir)
    if (body.revision !== revisionOf(text))
      throw new SettingsRefused('changed_meanwhile', 'The settings have changed meanwhile. Load them again.')
    const { stored, before, config } = prepare(text, body.changes)
    const accepted = Array.isArray(body.accept) ? body.accept : []
    const own = { providers: owner.providers, ...(await o.findOwnMethods(owner.accountId)) }
    requireSignIn(before, config, own, {
      sendsMail: (one) => o.readSmtp(one) !== null,
      isAccepted: accepted.includes('last_sign_in_method'),
    })
    if (!accepted.includes('address_unreachable')) await requireReachable(before, config)
    const changed = Object.keys(body.changes)
    // Before the file, so that no change is without its entry.
    await runAsCaller(o.pool, { caller: serviceCaller }, [
      {
        text: 'select public.record_server_settings($1::uuid, $2::uuid, $3::text[])',
        values: [body.workspace, owner.profileId, changed],
      },
    ])
    const content = renderSettings(stored)
    await replaceFile(settingsFile(o.dataDir), content, ownerOfSettings(o.dataDir) ?? null)
    o.log.info('server.settings_changed', { settings: changed.join(', '), profile: owner.profileId })
    return describe(content)
  }

  /** The owner who sent the request; else the response of the database that refuses it, also if they have to authenticate again. */
  const authorize = async (
    c: Context<ServiceEnv>,
    workspace: unknown,
    { changes }: { changes: boolean },
  ): Promise<Owner | Response> => {
    const bearer = c.get('bearer')
    const named = typeof workspace === 'string' ? workspace : noWorkspace
    // A page that waits for a restart fetches the settings every second. Only changes count against the rate limit.
    const args = { workspace: named, changes }
    const { status, text } = await callCommand(o, bearer, 'check_server_owner', args, { isRead: !changes })
    if (status !== 200)
      return new Response(text, { status, headers: { 'content-type': 'application/json; charset=utf-8' } })
    const verified = await o.verifyToken(bearer ?? '')
    const claims = verified.ok ? verified.caller.claims : {}
    const providers = claims.app_metadata?.['providers']
    return {
      accountId: claims.sub ?? '',
      profileId: (JSON.parse(text) as { profile_id: string }).profile_id,
      email: claims.email || null,
      providers: Array.isArray(providers) ? (providers as string[]) : [],
    }
  }

  const readBody = async (c: Context<ServiceEnv>): Promise<Partial<SaveSettings>> => {
    const tooLarge = (): Error => new SettingsRefused('invalid_setting', 'The request is too large.')
    const length = c.req.header('content-length')
    const bytes = await readRequestBody(c.req.raw, length, maxBodyBytes, tooLarge)
    try {
      return (JSON.parse(bytes.toString()) ?? {}) as Partial<SaveSettings>
    } catch {
      throw new SettingsRefused('invalid_setting', 'The request is not valid JSON.')
    }
  }

  const readChanges = ({ changes }: Partial<SaveSettings>): SettingChanges => {
    const isValid = typeof changes === 'object' && changes !== null && !Array.isArray(changes)
    if (isValid && Object.keys(changes).length <= maxChanges) return changes
    throw new SettingsRefused(
      'invalid_setting',
      `changes must be an object with up to ${maxChanges} settings.`,
    )
  }

  app.get('/settings', async (c) => {
    const owner = await authorize(c, c.req.query('workspace'), { changes: false })
    return owner instanceof Response ? owner : c.json(describe(readSettingsText(o.dataDir)))
  })

  app.put('/settings', async (c) => {
    const body = await readBody(c)
    const owner = await authorize(c, body.workspace, { changes: true })
    if (owner instanceof Response) return owner
    const changes = readChanges(body)
    if (Object.keys(changes).length === 0) return c.json(describe(readSettingsText(o.dataDir)))
    const saved = saving.then(() => save(owner, { ...(body as SaveSettings), changes }))
    saving = saved.catch(() => {})
    return c.json(await saved)
  })

  app.post('/settings/test-mail', async (c) => {
    const body = await readBody(c)
    const owner = await authorize(c, body.workspace, { changes: true })
    if (owner instanceof Response) return owner
    const { config } = prepare(readSettingsText(o.dataDir), readChanges(body))
    const smtp = o.readSmtp(config)
    if (smtp === null)
      throw new SettingsRefused('invalid_setting', 'Enter the mail server first.', 'auth.email.smtp.host')
    if (owner.email === null)
      throw new SettingsRefused('invalid_setting', 'Your account has no email address.')
    if (o.isOutgoingPaused())
      throw new SettingsRefused(
        'invalid_setting',
        'This restored server sends nothing until its restore is confirmed.',
      )
    const language = c.req.header('accept-language') ?? null
    return c.json(await sendTestMail({ smtp, recipient: owner.email, language, siteUrl: o.url() }))
  })

  app.post('/restart', async (c) => {
    const owner = await authorize(c, (await readBody(c)).workspace, { changes: true })
    if (owner instanceof Response) return owner
    if (o.command.restart === null)
      throw new SettingsRefused('invalid_setting', 'Restart Linnet on the server.')
    // A file may have changed since the settings were saved.
    prepare(readSettingsText(o.dataDir), {})
    o.log.info('server.restart_requested', { profile: owner.profileId })
    setImmediate(o.command.restart)
    return c.json({}, 202)
  })

  const availableBackups = (): Backups | null => (o.isOutgoingPaused() ? null : o.backups())

  const describeBackups = (): BackupStatus => {
    const backups = availableBackups()
    if (backups === null) return { isAvailable: false, isRunning: false, last: null, failure: null }
    const { isRunning, backup, failure } = backups.read()
    return {
      isAvailable: true,
      isRunning,
      last: backup && {
        at: backup.at,
        addedBytes: backup.addedBytes,
        dir: backup.dir,
        hasCommandFailed: backup.commandFailure !== null,
      },
      failure,
    }
  }

  app.get('/backup', async (c) => {
    const owner = await authorize(c, c.req.query('workspace'), { changes: false })
    return owner instanceof Response ? owner : c.json(describeBackups())
  })

  app.post('/backup', async (c) => {
    const owner = await authorize(c, (await readBody(c)).workspace, { changes: true })
    if (owner instanceof Response) return owner
    const backups = availableBackups()
    if (backups === null) throw new SettingsRefused('invalid_setting', 'This server makes no backups.')
    o.log.info('server.backup_requested', { profile: owner.profileId })
    backups.request()
    return c.json(describeBackups(), 202)
  })

  const statuses: Partial<Record<SettingsRefusal, 409>> = { changed_meanwhile: 409 }
  app.onError((error, c) => {
    if (error instanceof SettingsRefused) return c.json(error.body(), statuses[error.error] ?? 422)
    // Another file may have a mistake that this page can't correct.
    if (error instanceof ConfigError)
      return c.json(new SettingsRefused('invalid_setting', error.message).body(), 422)
    o.log.error('server.settings_failed', { reason: error.message })
    return c.json({ message: 'An unexpected error occurred' }, 500)
  })
  return { app, receiveProbe: (value) => probe.receive(value) }
}
