/** The test that calls a method: its file and title. */
type TestCase = [file: string, title: string]
/** Why no test calls it. */
interface NotTested {
  because: string
}

const isPrivate = { because: "private in the client's types, and called by another method" }
const clientOnly = { because: 'sends no request' }
const recoveryCodes = { because: 'GoTrue has no recovery codes: the client is ahead of it' }

const account = (title: string): TestCase => ['account.test.ts', title]
const links = (title: string): TestCase => ['links.test.ts', title]
const password = (title: string): TestCase => ['password.test.ts', title]
const ssr = (title: string): TestCase => ['ssr.test.ts', title]
const identities = (title: string): TestCase => ['identities.test.ts', title]
const factors = (title: string): TestCase => ['factors.test.ts', title]
const webAuthnFactors = (title: string): TestCase => ['support/testWebAuthnFactors.ts', title]
const passkeys = (title: string): TestCase => ['passkeys.test.ts', title]
const oauthServer = (title: string): TestCase => ['oauthServer.test.ts', title]
const admin = (title: string): TestCase => ['admin.test.ts', title]

/** Every method of auth-js by its object, and the test that calls it. */
export const methodLedger: Record<string, Record<string, TestCase | NotTested>> = {
  auth: {
    dispose: ssr('refreshes automatically until stopped'),
    exchangeCodeForSession: links('exchanges the code of a link for a session, once'),
    fetchJwk: isPrivate,
    getClaims: password('signs up, out and in again'),
    getSession: ssr('refreshes automatically until stopped'),
    getUser: password('signs up, out and in again'),
    getUserIdentities: identities('requires a signed-in user, and the setting'),
    initialize: ssr('exchanges the code in its URL after a link of a mail'),
    isThrowOnErrorEnabled: clientOnly,
    linkIdentity: identities('links with a redirect, and with an ID token'),
    linkIdentityIdToken: isPrivate,
    linkIdentityOAuth: isPrivate,
    onAuthStateChange: ssr('refreshes automatically until stopped'),
    reauthenticate: account('needs reauthentication in a session that is a day old'),
    refreshSession: factors('removes a factor, and downgrades its session'),
    registerPasskey: passkeys('registers a passkey and signs in with it, in a browser'),
    resend: account('gets a session with the confirmation link'),
    resetPasswordForEmail: links('recovers a password'),
    setSession: links('returns the session in the fragment'),
    signInAnonymously: password('signs in anonymously only if enabled'),
    signInWithEthereum: isPrivate,
    signInWithIdToken: ['oauth.test.ts', 'of %s (%s) sign a user in'],
    signInWithOAuth: ['oauth.test.ts', 'accepts one of two concurrent callbacks'],
    signInWithOtp: account('rejects banned users, and reveals the ban only to their owner'),
    signInWithPasskey: passkeys('registers a passkey and signs in with it, in a browser'),
    signInWithPassword: password('signs up, out and in again'),
    // SAML is not supported: rejected as by a service that has it disabled.
    signInWithSSO: admin('rejects SSO, since there are no SSO providers'),
    signInWithSolana: isPrivate,
    signInWithWeb3: ['wallets.test.ts', 'signs in with the client’s wallet method'],
    signOut: password('signs out with each scope'),
    signUp: password('signs up, out and in again'),
    startAutoRefresh: ssr('refreshes automatically until stopped'),
    stopAutoRefresh: ssr('refreshes automatically until stopped'),
    unlinkIdentity: identities('sets the account’s address to that of another identity'),
    updateUser: account('merges user metadata, and rejects app metadata from users'),
    verifyOtp: account('makes an anonymous user permanent'),
  },
  'auth.mfa': {
    challenge: factors('sends a code to a phone'),
    challengeAndVerify: factors('upgrades a session with an app, and ends those at aal1'),
    enroll: factors('sends a code to a phone'),
    getAuthenticatorAssuranceLevel: factors('upgrades a session with an app, and ends those at aal1'),
    listFactors: factors('upgrades a session with an app, and ends those at aal1'),
    unenroll: factors('removes a factor, and downgrades its session'),
    verify: factors('sends a code to a phone'),
  },
  'auth.mfa.recoveryCodes': {
    generate: recoveryCodes,
    getStatus: recoveryCodes,
    regenerate: recoveryCodes,
    unenroll: recoveryCodes,
    verify: recoveryCodes,
  },
  'auth.mfa.webauthn': {
    authenticate: webAuthnFactors('upgrades a session with an authenticator'),
    challenge: webAuthnFactors('upgrades a session with an authenticator'),
    enroll: webAuthnFactors('upgrades a session with an authenticator'),
    register: webAuthnFactors('upgrades a session with an authenticator'),
    verify: webAuthnFactors('upgrades a session with an authenticator'),
  },
  'auth.passkey': {
    delete: passkeys('lists, renames and deletes the user’s own passkeys'),
    list: passkeys('lists, renames and deletes the user’s own passkeys'),
    startAuthentication: passkeys('the routes of passkeys respond 404 if they are disabled'),
    startRegistration: passkeys('accepts each key once, and ten per user'),
    update: passkeys('lists, renames and deletes the user’s own passkeys'),
    verifyAuthentication: passkeys('does not sign in as another user'),
    verifyRegistration: passkeys('accepts each key once, and ten per user'),
  },
  'auth.oauth': {
    approveAuthorization: oauthServer('completes a sign-in at a client'),
    denyAuthorization: oauthServer('redirects with an error if the user denies'),
    getAuthorizationDetails: oauthServer('completes a sign-in at a client'),
    listGrants: oauthServer('completes a sign-in at a client'),
    revokeGrant: oauthServer('completes a sign-in at a client'),
  },
  'auth.admin': {
    createUser: admin('creates, finds, changes and deletes users'),
    deleteUser: admin('creates, finds, changes and deletes users'),
    generateLink: admin('sign users in without a mail'),
    getUserById: admin('creates, finds, changes and deletes users'),
    inviteUserByEmail: admin('invite by mail'),
    listUsers: admin('lists users in pages in both orders, and filters by address and name'),
    signOut: admin('signs a user out by their token, with each scope'),
    updateUserById: admin('creates, finds, changes and deletes users'),
  },
  'auth.admin.mfa': {
    deleteFactor: factors('lets administrators list, change and delete factors'),
    listFactors: factors('lets administrators list, change and delete factors'),
  },
  'auth.admin.oauth': {
    createClient: oauthServer('are created, read, changed, listed, given new secrets and deleted'),
    deleteClient: oauthServer('are created, read, changed, listed, given new secrets and deleted'),
    getClient: oauthServer('are created, read, changed, listed, given new secrets and deleted'),
    listClients: oauthServer('are created, read, changed, listed, given new secrets and deleted'),
    regenerateClientSecret: oauthServer('are created, read, changed, listed, given new secrets and deleted'),
    updateClient: oauthServer('are created, read, changed, listed, given new secrets and deleted'),
  },
  'auth.admin.customProviders': {
    createProvider: identities('are created, returned without their secret, changed and deleted'),
    deleteProvider: identities('are created, returned without their secret, changed and deleted'),
    getProvider: identities('are created, returned without their secret, changed and deleted'),
    listProviders: identities('are created, returned without their secret, changed and deleted'),
    updateProvider: identities('are created, returned without their secret, changed and deleted'),
  },
  'auth.admin.passkey': {
    deletePasskey: passkeys('lets administrators list and delete passkeys'),
    listPasskeys: passkeys('lets administrators list and delete passkeys'),
  },
}
