import './ui/fonts.css'
import './ui/tokens.css'
import './ui/base.css'
import { createRoot } from 'react-dom/client'

const root = document.getElementById('app')
if (root) createRoot(root).render(<h1>Linnet</h1>)
