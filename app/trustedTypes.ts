/** Trusted Types (W3C); missing in TypeScript's own library. */
interface TrustedTypes {
  createPolicy(name: 'default', rules: { createScriptURL: (url: string) => string | null }): unknown
}

/**
 * Prevents text from becoming script or markup: the content security policy requires Trusted Types, and this default
 * policy permits only the URLs of this build's workers.
 */
export function requireTrustedTypes(): void {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes }
  trustedTypes?.createPolicy('default', {
    createScriptURL(address) {
      const { origin, pathname } = new URL(address, location.href)
      return origin === location.origin && /^\/(assets\/|service-worker\.js$)/.test(pathname) ? address : null
    },
  })
}
