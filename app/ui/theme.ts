import { storePreference, type AppearanceSettings } from '../devicePreferences.ts'

/** Applies the appearance: style sheets read attributes of the root element. */
export function applyAppearance(appearance: AppearanceSettings): void {
  const { dataset, style } = document.documentElement
  dataset['theme'] = appearance.theme
  dataset['contrast'] = appearance.contrast
  dataset['density'] = appearance.density
  style.fontSize = appearance.textSize
}

/** Stores and applies the appearance on this device. */
export function saveAppearance(appearance: AppearanceSettings): void {
  storePreference('appearance', appearance)
  applyAppearance(appearance)
}
