import type { SettingsReader } from './createSettingsReader.ts'
import { parseUrl } from '../../runtime/parseUrl.ts'

/** `[auth.passkey]` and `[auth.webauthn]`; null values are derived from the site's URL. */
export interface PasskeySettings {
  enabled: boolean
  party: {
    /** The domain that credentials are bound to. */
    id: string | null
    name: string | null
    /** The origins that may use them. */
    origins: string[] | null
  }
}

/** @throws ConfigError */
export function readPasskeySettings({ at, errorAt }: SettingsReader): PasskeySettings {
  const path = 'auth.webauthn'
  const id = at(`${path}.rp_id`, '').toLowerCase()
  if (id !== '' && !/^[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(id)) {
    throw errorAt(`${path}.rp_id`, `must be a domain such as "chat.example.com", not "${id}"`)
  }
  const origins = at(`${path}.rp_origins`, [] as string[]).map((text) => {
    const url = /^https?:\/\//.test(text) ? parseUrl(text) : null
    if (url !== null) return url.origin
    // The origin of an Android app.
    if (/^android:apk-key-hash:[\w-]+$/.test(text)) return text
    throw errorAt(`${path}.rp_origins`, `must contain origins such as "https://example.com", not "${text}"`)
  })
  return {
    enabled: at('auth.passkey.enabled', false),
    party: {
      id: id || null,
      name: at(`${path}.rp_display_name`, '') || null,
      origins: origins.length > 0 ? origins : null,
    },
  }
}
