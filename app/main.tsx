import './ui/fonts.css'
import './ui/tokens.css'
import './ui/base.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './App.tsx'
import { requireTrustedTypes } from './trustedTypes.ts'
import { readLanguage, speak } from './ui/language.ts'
import { applyLook, readLook } from './ui/theme.ts'

requireTrustedTypes()

// A new build takes the old files away: a page that asks for one starts again, once; not offline,
// where what is open would be lost.
addEventListener('vite:preloadError', () => {
  if (!navigator.onLine) return
  const key = 'linnet.reloaded'
  if (sessionStorage.getItem(key) === import.meta.url) return
  sessionStorage.setItem(key, import.meta.url)
  location.reload()
})

applyLook(readLook())
await speak(readLanguage())

const root = document.getElementById('app')
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
}
