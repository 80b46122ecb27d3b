/** What shows that a method of the client is served: a file of tests and the title of a case that calls it. */
type Shown = [file: string, title: string]
/** Why nothing shows it. */
interface Unshown {
  because: string
}

const ofTypes = { because: 'private in the types of the client, and asked by a method that is not' }
const ofTheClient = { because: 'asks nothing of a server' }
const recoveryCodes = { because: 'the service upstream has no recovery codes: the client is ahead of it' }

const account = (title: string): Shown => ['account.test.ts', title]
const links = (title: string): Shown => ['links.test.ts', title]
const password = (title: string): Shown => ['password.test.ts', title]
const ssr = (title: string): Shown => ['ssr.test.ts', title]
const identities = (title: string): Shown => ['identities.test.ts', title]
const factors = (title: string): Shown => ['factors.test.ts', title]
const authenticators = (title: string): Shown => ['support/testKeyFactors.ts', title]
const passkeys = (title: string): Shown => ['passkeys.test.ts', title]
const oauthServer = (title: string): Shown => ['oauthServer.test.ts', title]
const administrator = (title: string): Shown => ['admin.test.ts', title]

/** Every method of auth-js by the room where it hangs, and what shows it. */
export const methodLedger: Record<string, Record<string, Shown | Unshown>> = {
  auth: {
    dispose: ssr('keeps itself fresh, until it is told to stop'),
    exchangeCodeForSession: links('goes from the mailed link by a code to a session, once'),
    fetchJwk: ofTypes,
    getClaims: password('signs up, out and in again'),
    getSession: ssr('keeps itself fresh, until it is told to stop'),
    getUser: password('signs up, out and in again'),
    getUserIdentities: identities('need somebody who is signed in, and the setting'),
    initialize: ssr('comes back from a mail with a code in its address, and takes it from there'),
    isThrowOnErrorEnabled: ofTheClient,
    linkIdentity: identities('are added over a provider, and by a token'),
    linkIdentityIdToken: ofTypes,
    linkIdentityOAuth: ofTypes,
    onAuthStateChange: ssr('keeps itself fresh, until it is told to stop'),
    reauthenticate: account('wants a fresh proof of a session that is a day old'),
    refreshSession: factors('takes a factor away, and the level with it'),
    registerPasskey: passkeys('registers a passkey and signs in by it, in a browser'),
    resend: account('comes to its session by the link that confirms it'),
    resetPasswordForEmail: links('recovers a password'),
    setSession: links('brings the session in the fragment'),
    signInAnonymously: password('signs in anonymously only where that is switched on'),
    signInWithEthereum: ofTypes,
    signInWithIdToken: ['oauth.test.ts', 'of %s (%s) sign in'],
    signInWithOAuth: ['oauth.test.ts', 'lets one of two win that finish a sign-in at once'],
    signInWithOtp: account('opens to nobody who is barred, and says so to its owner alone'),
    signInWithPasskey: passkeys('registers a passkey and signs in by it, in a browser'),
    signInWithPassword: password('signs up, out and in again'),
    // SAML is a listed gap: refused as a whole, in the words of a service that has it off.
    signInWithSSO: administrator('knows no provider of a company, and says so'),
    signInWithSolana: ofTypes,
    signInWithWeb3: ['wallets.test.ts', 'signs in by what the client has a wallet sign'],
    signOut: password('signs out here, elsewhere, and everywhere'),
    signUp: password('signs up, out and in again'),
    startAutoRefresh: ssr('keeps itself fresh, until it is told to stop'),
    stopAutoRefresh: ssr('keeps itself fresh, until it is told to stop'),
    unlinkIdentity: identities('leave the account the address of another'),
    updateUser: account(
      'merges what people say of themselves, and lets them say nothing of what others decide',
    ),
    verifyOtp: account('makes a full account of an anonymous one'),
  },
  'auth.mfa': {
    challenge: factors('sends a phone its code'),
    challengeAndVerify: factors('raises a session by an app, and ends those of one factor'),
    enroll: factors('sends a phone its code'),
    getAuthenticatorAssuranceLevel: factors('raises a session by an app, and ends those of one factor'),
    listFactors: factors('raises a session by an app, and ends those of one factor'),
    unenroll: factors('takes a factor away, and the level with it'),
    verify: factors('sends a phone its code'),
  },
  'auth.mfa.recoveryCodes': {
    generate: recoveryCodes,
    getStatus: recoveryCodes,
    regenerate: recoveryCodes,
    unenroll: recoveryCodes,
    verify: recoveryCodes,
  },
  'auth.mfa.webauthn': {
    authenticate: authenticators('raises a session by an authenticator'),
    challenge: authenticators('raises a session by an authenticator'),
    enroll: authenticators('raises a session by an authenticator'),
    register: authenticators('raises a session by an authenticator'),
    verify: authenticators('raises a session by an authenticator'),
  },
  'auth.passkey': {
    delete: passkeys('lists, renames and deletes one’s own'),
    list: passkeys('lists, renames and deletes one’s own'),
    startAuthentication: passkeys('is not there where it is switched off'),
    startRegistration: passkeys('takes each key once, and ten of a person'),
    update: passkeys('lists, renames and deletes one’s own'),
    verifyAuthentication: passkeys('signs in by one person’s key as nobody else'),
    verifyRegistration: passkeys('takes each key once, and ten of a person'),
  },
  'auth.oauth': {
    approveAuthorization: oauthServer('signs a person in at a client, whole'),
    denyAuthorization: oauthServer('tells a client no when the person says so'),
    getAuthorizationDetails: oauthServer('signs a person in at a client, whole'),
    listGrants: oauthServer('signs a person in at a client, whole'),
    revokeGrant: oauthServer('signs a person in at a client, whole'),
  },
  'auth.admin': {
    createUser: administrator('makes, finds, changes and deletes people'),
    deleteUser: administrator('makes, finds, changes and deletes people'),
    generateLink: administrator('sign people in without a mail'),
    getUserById: administrator('makes, finds, changes and deletes people'),
    inviteUserByEmail: administrator('invite by mail'),
    listUsers: administrator('turns pages, either way, and finds by address and name'),
    signOut: administrator('signs a person out by their token, as far as is asked'),
    updateUserById: administrator('makes, finds, changes and deletes people'),
  },
  'auth.admin.mfa': {
    deleteFactor: factors('shows administrators the factors of anyone, and lets them change and delete them'),
    listFactors: factors('shows administrators the factors of anyone, and lets them change and delete them'),
  },
  'auth.admin.oauth': {
    createClient: oauthServer('are made, read, changed, listed, given new secrets and deleted'),
    deleteClient: oauthServer('are made, read, changed, listed, given new secrets and deleted'),
    getClient: oauthServer('are made, read, changed, listed, given new secrets and deleted'),
    listClients: oauthServer('are made, read, changed, listed, given new secrets and deleted'),
    regenerateClientSecret: oauthServer('are made, read, changed, listed, given new secrets and deleted'),
    updateClient: oauthServer('are made, read, changed, listed, given new secrets and deleted'),
  },
  'auth.admin.customProviders': {
    createProvider: identities('are entered, shown without their secret, changed, and taken away'),
    deleteProvider: identities('are entered, shown without their secret, changed, and taken away'),
    getProvider: identities('are entered, shown without their secret, changed, and taken away'),
    listProviders: identities('are entered, shown without their secret, changed, and taken away'),
    updateProvider: identities('are entered, shown without their secret, changed, and taken away'),
  },
  'auth.admin.passkey': {
    deletePasskey: passkeys('shows administrators anyone’s, and lets them delete them'),
    listPasskeys: passkeys('shows administrators anyone’s, and lets them delete them'),
  },
}
