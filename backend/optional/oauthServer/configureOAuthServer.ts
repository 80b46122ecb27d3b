import type { ConfigureAuthExtension } from '../../auth/AuthExtension.ts'
import { addAdminRoutes } from './addAdminRoutes.ts'
import { addClientRoutes } from './addClientRoutes.ts'
import { addConsentRoutes } from './addConsentRoutes.ts'
import { sweepAuthorizations } from './authorization.ts'
import { readOAuthServerSettings } from './OAuthServerContext.ts'

/**
 * Adds an OAuth server to the auth service: other applications sign people in with this server (OAuth 2.1, OpenID
 * Connect).
 */
export const configureOAuthServer: ConfigureAuthExtension = (read) => {
  const oauthServer = readOAuthServerSettings(read)
  return {
    addRoutes(app, auth) {
      const ctx = { ...auth, oauthServer }
      addAdminRoutes(app, ctx)
      addClientRoutes(app, ctx)
      addConsentRoutes(app, ctx)
    },
    sweep: sweepAuthorizations,
  }
}
