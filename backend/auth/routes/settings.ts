import { publicCommandName } from '../../runtime/commandName.ts'
import type { AuthApp, AuthContext } from '../AuthContext.ts'

/** The providers that GoTrue returns here; it supports more. */
const providers = [
  'apple',
  'azure',
  'bitbucket',
  'discord',
  'facebook',
  'snapchat',
  'figma',
  'fly',
  'github',
  'gitlab',
  'google',
  'keycloak',
  'kakao',
  'linkedin',
  'linkedin_oidc',
  'notion',
  'spotify',
  'slack',
  'slack_oidc',
  'workos',
  'twitch',
  'twitter',
  'zoom',
] as const

/** GET /settings, /health and the published keys: public information. */
export function addSettings(app: AuthApp, ctx: AuthContext): void {
  const command = publicCommandName()
  app.get('/settings', (c) =>
    c.json({
      external: {
        anonymous_users: ctx.settings.anonymousEnabled,
        email: ctx.settings.email.enabled,
        phone: ctx.settings.sms.enabled,
        ...Object.fromEntries(providers.map((name) => [name, ctx.settings.external.providers[name].enabled])),
      },
      disable_signup: !ctx.settings.signupEnabled,
      mailer_autoconfirm: ctx.settings.email.autoconfirm,
      phone_autoconfirm: ctx.settings.sms.autoconfirm,
      sms_provider: ctx.sms.provider?.name ?? '',
      saml_enabled: false,
      saml_private_key_next_configured: false,
      passkeys_enabled: ctx.settings.passkeys.enabled,
      // GoTrue has no such keys, since its email provider always has both.
      ...(ctx.settings.email.sendsCodes ? {} : { mailer_codes_disabled: true }),
      ...(ctx.settings.password.enabled ? {} : { passwords_disabled: true }),
      // GoTrue has no such key, since it always sends mails. The application then shows where the mailbox is.
      ...(ctx.settings.smtp || ctx.settings.hooks.send_email ? {} : { mailer_local_mailbox: true }),
      // The application names commands for the machine of the server.
      ...(command === 'linnet' ? {} : { linnet_command: command }),
    }),
  )
  app.get('/health', (c) =>
    c.json({ name: 'Linnet auth', description: 'Sign-in, sessions and accounts with the API of GoTrue' }),
  )
  app.get('/.well-known/jwks.json', (c) => {
    c.header('Cache-Control', 'public, max-age=600')
    return c.json(ctx.keys.jwks)
  })
}
