// The entry of the app. It sets the appearance and the language of the page, then renders `App`.
import './ui/fonts.css'
import './ui/tokens.css'
import './ui/base.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './App.tsx'
import { flushDrafts } from './data/persistence/draftWrites.ts'
import { reloadForNewBuild } from './data/tabs/reloadForNewBuild.ts'
import { pathTo } from './paths.ts'
import { requireTrustedTypes } from './trustedTypes.ts'
import { readLanguage, activateLanguage } from './ui/language.ts'
import { readPreference } from './devicePreferences.ts'
import { applyAppearance } from './ui/theme.ts'

requireTrustedTypes()

addEventListener('vite:preloadError', () => {
  void reloadForNewBuild({
    build: import.meta.url,
    isServerReachable: () =>
      fetch(pathTo('home'), { method: 'HEAD', cache: 'no-store' }).then(
        ({ ok }) => ok,
        () => false,
      ),
    storage: sessionStorage,
    saveDrafts: flushDrafts,
    reload: () => location.reload(),
  })
})

if (!isSecureContext) await import('./insecureContext.ts')
applyAppearance(readPreference('appearance'))
await activateLanguage(readLanguage())

/** Milliseconds until tooltips are shown. Visible messages are loaded first. */
const TOOLTIPS_AFTER_MS = 3_000

async function showTooltips(): Promise<void> {
  const { startTooltips } = await import('./ui/tooltips.ts')
  startTooltips()
}

setTimeout(() => void showTooltips().catch(() => {}), TOOLTIPS_AFTER_MS)

const root = document.getElementById('app')
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
}
