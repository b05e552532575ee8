#!/usr/bin/env bash
# Whether the built pages in crates/server/web-dist are those of the source in web/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm install --no-save --no-audit --no-fund --silent
npx svelte-check --fail-on-warnings --tsconfig ./tsconfig.json
built=$(mktemp -d)
trap 'rm -rf "$built"' EXIT
npx openapi-typescript openapi.json --empty-objects-unknown -o "$built/schema.d.ts" >/dev/null
diff "$built/schema.d.ts" src/api/schema.d.ts || {
  echo "src/api/schema.d.ts is not what openapi.json says: npm run types"
  exit 1
}
npx vite build --outDir "$built" --emptyOutDir >/dev/null
diff -r "$built" ../crates/server/web-dist || {
  echo "crates/server/web-dist is not what web/ builds: npm run build"
  exit 1
}
echo "1 passed, 0 failed"
