import { formatter } from '@lingui/format-po'
import { defineConfig } from '@lingui/conf'
import { LANGUAGES } from './wire/languages.ts'

/**
 * Run `npx lingui extract` after a change of interface texts. Each language is one file, which the build compiles.
 */
export default defineConfig({
  sourceLocale: 'en',
  locales: Object.keys(LANGUAGES),
  catalogs: [
    {
      path: '<rootDir>/app/ui/locales/{locale}',
      include: ['app', 'wire/describeCheck.ts', 'wire/findingTexts.ts'],
      exclude: ['**/*.test.*'],
    },
  ],
  format: formatter({ lineNumbers: false, origins: false }),
})
