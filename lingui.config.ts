import { formatter } from '@lingui/format-po'
import { defineConfig } from '@lingui/conf'
import { LANGUAGES } from './wire/languages.ts'

/**
 * Each language is one file, which the build compiles. `npx lingui extract` creates the file of a new language. It sorts all files.
 */
export default defineConfig({
  sourceLocale: 'en',
  // Otherwise the order follows the modules, and each extraction moves most texts.
  orderBy: 'messageId',
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
