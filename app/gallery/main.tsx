// The entry of the gallery, which is no part of the build: `npm run gallery` and tests/browser/gallery.spec.ts open it.
import '../ui/fonts.css'
import '../ui/tokens.css'
import '../ui/base.css'
import { i18n } from '@lingui/core'
import { createRoot } from 'react-dom/client'
import { startTooltips } from '../ui/tooltips.ts'
import { Gallery } from './Gallery.tsx'

i18n.setMessagesCompiler((message) => [message])
i18n.loadAndActivate({ locale: 'en', messages: {} })
const { density, contrast } = Object.fromEntries(new URLSearchParams(location.search))
Object.assign(document.documentElement.dataset, { density, contrast })
startTooltips()
createRoot(document.getElementById('app')!).render(<Gallery />)
