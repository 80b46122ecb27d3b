import { AsyncLocalStorage } from 'node:async_hooks'
import { chargeToCaller } from '../postgres/connections/chargeToCaller.ts'
import { serverCallerKey } from '../budgets/createBudget.ts'
import { currentCallerKey } from '../budgets/currentCallerKey.ts'
import { Hono } from 'hono'
import type { ServiceEnv, VerifyToken } from '../../wire/claims.ts'
import type { Config } from '../config/loadConfig.ts'
import type { Logger } from '../logging/logger.ts'
import type { Pool } from '../postgres/connections/pool.ts'
import { resetFactors } from './admin/resetFactors.ts'
import type { AuthContext } from './AuthContext.ts'
import type { AuthExtension, ConfigureAuthExtension } from './AuthExtension.ts'
import { createSettingsReader } from './settings/createSettingsReader.ts'
import { AuthError } from './http/AuthError.ts'
import { readAuthSettings } from './settings/authSettings.ts'
import { withOutgoingPause } from './settings/withOutgoingPause.ts'
import { createVerifyToken } from './tokens/createVerifyToken.ts'
import { createThirdPartyVerifier } from './tokens/createThirdPartyVerifier.ts'
import type { AuthKeys } from './tokens/keys.ts'
import { createHooks, hookLimits, type HookLimits } from './hooks/createHooks.ts'
import { createMailer, type SentMail } from './mail/queue/createMailer.ts'
import { createMailQueue } from './mail/queue/mailQueue.ts'
import { createSmtpSender } from '../runtime/smtp/createSmtpSender.ts'
import type { Smtp } from '../runtime/smtp/smtpOptions.ts'
import { openMailbox, type Mailbox } from './mail/mailbox/mailbox.ts'
import { createMailboxApp } from './mail/mailbox/mailboxApp.ts'
import { loadMailTemplates } from './mail/templates/mailTemplates.ts'
import { createCaptcha } from './limits/captcha.ts'
import { createPasswords } from './passwords/passwords.ts'
import { createRateLimits, type RateLimits } from './limits/rateLimits.ts'
import { globToRegExp } from './http/redirects.ts'
import { renderError, toAuthError } from './http/renderError.ts'
import { createProviders } from './providers/createProviders.ts'
import { addAdminAudit } from './routes/adminAudit.ts'
import { addAdminLinks } from './routes/adminLinks.ts'
import { addAdminFactors } from './routes/adminFactors.ts'
import { addAdminUsers } from './routes/adminUsers.ts'
import { addFactors } from './routes/factors.ts'
import { listPasskeys } from './passkeys/passkey.ts'
import { findUserById } from './rows/findUser.ts'
import { addOtp } from './routes/otp.ts'
import { addReauthenticate } from './routes/reauthenticate.ts'
import { addRecover } from './routes/recover.ts'
import { addResend } from './routes/resend.ts'
import { addCallback, addProviders } from './routes/callback.ts'
import { addCustomProviders } from './routes/customProviders.ts'
import { addIdentities } from './routes/identities.ts'
import { addPasskeys } from './routes/passkeys.ts'
import { addLogout } from './routes/logout.ts'
import { addSettings } from './routes/settings.ts'
import { addSignUp } from './routes/signUp.ts'
import { addSso } from './routes/sso.ts'
import { addToken } from './routes/token.ts'
import { addUser } from './routes/user.ts'
import { addVerify } from './routes/verify.ts'
import { createSmsSender } from './sms/createSmsSender.ts'
import { sweepChallenges } from './passkeys/passkeyChallenge.ts'
import { sweepFlows } from './rows/flowState.ts'
import { sweepSessions } from './sessions/sweepSessions.ts'
import { type Outbound, createOutbound, fetchJson } from './providers/createOutbound.ts'

/** A URL of this server, or the function that returns it, because the port is known only later. */
type OwnUrl = string | ((origin: string | null) => string)

/** The `origin` of the request. */
const currentOrigin = new AsyncLocalStorage<string | null>()

const withoutSlash = (url: string): string => url.replace(/\/+$/, '')

export interface AuthOptions {
  /** A pool of connections of supabase_auth_admin. */
  pool: Pool
  /** Opens another pool of supabase_auth_admin, for a hook that is a PostgreSQL function. */
  openPool: (name: string, max: number) => Pool
  keys: AuthKeys
  /** The configuration, whose section `[auth]` is read. */
  config: Config
  /** The site to which users are redirected. A function receives the `origin` of the request, if it has one. */
  siteUrl: OwnUrl
  /** The origin at which this service is mounted under /auth/v1, for links in mails and, without a request, `iss`. */
  publicUrl: OwnUrl
  mail?: {
    /** Stores the mailbox in `<dir>/mailbox.json` across restarts; with null it is in memory only. */
    dir?: string | null
    /** Called for each mail that goes to the mailbox. */
    onMail?: (mail: SentMail) => void
  }
  /**
   * Whether this server is a restored copy that sends nothing yet. Mails and text messages go to the mailbox instead. By default
   * it never is.
   */
  isOutgoingPaused?: () => boolean
  /** Extras of this service. */
  extensions: ConfigureAuthExtension[]
  /** The URL that verifies captchas, instead of the provider's; replaced in tests. */
  captchaUrl?: string
  /** The clock of rate limits; replaced in tests. */
  now?: () => number
  /** Timeouts of HTTP hooks; by default as on hosted Supabase. */
  hookLimits?: HookLimits
  /** The HTTP client for external services; by default requests go to the address in the URL. */
  outbound?: Outbound
  log: Logger
}

export interface AuthService {
  /** The routes, which the gateway mounts at /auth/v1. */
  app: Hono<ServiceEnv>
  /**
   * Verifies access tokens for the other services. It also accepts tokens of a third-party issuer if one is
   * configured.
   */
  verifyToken: VerifyToken
  mailbox: {
    /** To be mounted at /mailbox; responds with 404 to requests that are not from this machine. */
    app: Hono
    /** `/mailbox/<token>`; null when mails are sent by SMTP and text messages by a provider. */
    path: string | null
    /** Newest first; for tests and the start-up line. */
    messages: Mailbox['messages']
  }
  /** The mail server of `[auth.email.smtp]`; null without one. */
  smtp: Smtp | null
  /** When the last mail was refused and when the next hour begins, in milliseconds; null if none was refused this hour. */
  mailLimit: RateLimits['mailLimit']
  /**
   * Removes all second factors of an account and ends its sessions, for the dashboard. Returns the number of verified
   * factors; null if the account does not exist.
   */
  resetFactors: (userId: string, ip: string) => Promise<number | null>
  /** Whether an account has a password and a passkey, which no response contains. */
  findOwnMethods: (userId: string) => Promise<{ hasPassword: boolean; hasPasskey: boolean }>
  /** Waits for mails and text messages that are being sent. The pools stay open: they belong to the caller. */
  close(): Promise<void>
}

const sweepIntervalMs = 3_600_000

/**
 * Creates the auth service: sign-in, sessions and accounts with the API of GoTrue. Throws ConfigError if `[auth]` is
 * invalid.
 */
export function createAuthService(o: AuthOptions): AuthService {
  const isPaused = o.isOutgoingPaused ?? (() => false)
  const configured = readAuthSettings(o.config)
  const settings = withOutgoingPause(configured, isPaused)
  const extensions = o.extensions.map((configure) => configure(createSettingsReader(o.config)))
  const smsProvider = extensions.map((extension) => extension.smsProvider).find(Boolean) ?? null
  const usesSmsMailbox = (settings.sms.enabled || settings.factors.phone.verify) && !smsProvider
  const mailbox =
    configured.smtp && !usesSmsMailbox && !isPaused() ? null : openMailbox(o.mail?.dir ?? null, o.log)
  const urlAt = (url: OwnUrl, origin: string | null): string =>
    withoutSlash(typeof url === 'string' ? url : url(origin))
  const authUrlAt = (origin: string | null): string =>
    settings.externalUrl || `${urlAt(o.publicUrl, origin)}/auth/v1`
  const authUrl = (): string => authUrlAt(currentOrigin.getStore() ?? null)
  const verifyToken = createVerifyToken(o.keys)
  const outbound = o.outbound ?? createOutbound()
  const mailer = createMailer({
    templates: loadMailTemplates(o.config),
    route: configured.smtp && {
      queue: createMailQueue(o.pool),
      send: createSmtpSender(configured.smtp),
    },
    mailbox,
    isPaused,
    onMail: o.mail?.onMail,
    log: o.log,
  })
  const smsSender = createSmsSender({ provider: smsProvider, mailbox, isPaused, onMail: o.mail?.onMail })
  const ctx: AuthContext = {
    pool: chargeToCaller(o.pool),
    keys: o.keys,
    settings,
    allowedRedirects: settings.redirectAllowList.map(globToRegExp),
    verifyToken,
    passwords: createPasswords(),
    limits: createRateLimits(settings.limits, o.now, (seconds) =>
      o.log.warn('auth.mail_limit_reached', { emails_per_hour: settings.limits.emailPerHour, seconds }),
    ),
    captcha: settings.captcha && createCaptcha(settings.captcha, o.captchaUrl),
    mailer,
    hooks: createHooks({
      settings: configured.hooks,
      limits: o.hookLimits ?? hookLimits,
      openPool: (name, max) => chargeToCaller(o.openPool(name, max)),
    }),
    sms: smsSender,
    providers: createProviders({
      db: o.pool,
      external: settings.external,
      outbound,
      callbackUrl: () => `${authUrl()}/callback`,
    }),
    log: o.log,
    siteUrl: () => urlAt(o.siteUrl, currentOrigin.getStore() ?? null),
    authUrl,
    // The tokens of one server have one issuer.
    issuer: () => settings.jwtIssuer || authUrlAt(null),
  }
  const sweep = setInterval(() => {
    Promise.all([
      sweepFlows(o.pool),
      sweepSessions(o.pool, settings.sessions),
      sweepChallenges(o.pool),
      ...extensions.map((extension) => extension.sweep?.(o.pool)),
    ]).catch((error: Error) => o.log.warn('auth.sweep_failed', { reason: error.message }))
  }, sweepIntervalMs)
  sweep.unref()
  return {
    app: createApp(ctx, extensions),
    verifyToken: settings.thirdParty
      ? createThirdPartyVerifier(verifyToken, settings.thirdParty, {
          fetchJson: (url) => fetchJson(outbound, url),
          log: o.log,
        })
      : verifyToken,
    mailbox: {
      app: createMailboxApp(mailbox),
      path: mailbox ? `/mailbox/${mailbox.token}` : null,
      messages: () => mailbox?.messages() ?? [],
    },
    smtp: configured.smtp,
    mailLimit: () => ctx.limits.mailLimit(),
    resetFactors: (userId, ip) => resetFactors(ctx, userId, ip),
    findOwnMethods: async (userId) => {
      const user = await findUserById(ctx.pool, userId)
      const passkeys = await listPasskeys(ctx.pool, userId)
      return { hasPassword: Boolean(user?.encrypted_password), hasPasskey: passkeys.length > 0 }
    },
    async close() {
      clearInterval(sweep)
      await Promise.all([mailer.close(), smsSender.waitForDeliveries()])
    },
  }
}

/**
 * Creates the routes. The gateway sets the Cache-Control header of all services. Setting a header on a finished
 * response here would turn it into a stream, which costs as much as the rest of Hono.
 */
function createApp(ctx: AuthContext, extensions: AuthExtension[]): Hono<ServiceEnv> {
  const app = new Hono<ServiceEnv>()
  app.use((c, next) =>
    currentOrigin.run(c.get('origin') ?? null, () =>
      currentCallerKey.run(c.get('callerKey') ?? serverCallerKey, next),
    ),
  )
  addSettings(app, ctx)
  addSignUp(app, ctx)
  addOtp(app, ctx)
  addRecover(app, ctx)
  addResend(app, ctx)
  addToken(app, ctx, extensions)
  addVerify(app, ctx)
  addUser(app, ctx)
  addLogout(app, ctx)
  addReauthenticate(app, ctx)
  addAdminUsers(app, ctx)
  addAdminLinks(app, ctx)
  addAdminAudit(app, ctx)
  addFactors(app, ctx)
  addPasskeys(app, ctx)
  addAdminFactors(app, ctx)
  addProviders(app, ctx)
  addCallback(app, ctx)
  addIdentities(app, ctx)
  addCustomProviders(app, ctx)
  addSso(app, ctx)
  for (const extension of extensions) extension.addRoutes?.(app, ctx)
  const version = 'X-Supabase-Api-Version'
  // A route, not a not-found handler: handlers of mounted apps are dropped, and the response would not have
  // GoTrue's format.
  app.all('*', (c) => {
    throw new AuthError(404, 'not_found', `There is no ${c.req.method} ${c.req.path}`)
  })
  app.onError((thrown, c) => {
    const { error, unexpected } = toAuthError(thrown)
    if (unexpected) {
      const reason = error.cause instanceof Error ? error.cause.message : error.message
      ctx.log.error('auth.request_failed', {
        requestId: c.get('requestId'),
        method: c.req.method,
        path: c.req.path,
        reason,
      })
    }
    return renderError(error, c.req.header(version))
  })
  return app
}
