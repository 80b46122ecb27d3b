import { formatter } from '@lingui/format-po'
import { defineConfig } from '@lingui/conf'

/** `npx lingui extract` after changing words; each language is one file, compiled by the build. */
export default defineConfig({
  sourceLocale: 'en',
  locales: ['en', 'de'],
  catalogs: [{ path: '<rootDir>/app/ui/locales/{locale}', include: ['app'], exclude: ['**/*.test.*'] }],
  format: formatter({ lineNumbers: false, origins: false }),
})
