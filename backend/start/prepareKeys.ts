import { createKeys, issueLegacyKey, loadKeys, type AuthKeys, type StoredKeys } from '../auth/tokens/keys.ts'
import type { ApiKeys } from '../gateway/createGateway.ts'
import { loadSecrets, saveSigningKey, type Secrets } from './secrets.ts'

/** The keys of an installation: what the secrets hold, and what derives from them. */
export async function prepareKeys(
  dataDir: string,
): Promise<{ secrets: Secrets; keys: AuthKeys; apiKeys: ApiKeys }> {
  const secrets = loadSecrets(dataDir)
  if (secrets.signingKey === null) {
    const { signingKey } = await createKeys({ jwtSecret: secrets.jwtSecret })
    secrets.signingKey = signingKey as Record<string, unknown>
    saveSigningKey(dataDir, secrets.signingKey)
  }
  const { jwtSecret, signingKey, publishableKey, secretKey } = secrets
  return {
    secrets,
    keys: await loadKeys({ jwtSecret, signingKey: signingKey as StoredKeys['signingKey'] }),
    apiKeys: {
      anonKey: issueLegacyKey(jwtSecret, 'anon'),
      serviceRoleKey: issueLegacyKey(jwtSecret, 'service_role'),
      publishableKey,
      secretKey,
    },
  }
}
