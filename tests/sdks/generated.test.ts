import { expect, it } from "vitest"
import { goCodes, goModels, goOperations, goTopics } from "./interface/go.ts"
import { merchantInterface } from "./interface/MerchantInterface.ts"
import { phpCodes, phpModels, phpOperations } from "./interface/php.ts"
import { pythonCodes, pythonModels, pythonOperations } from "./interface/python.ts"

const all = merchantInterface()

// `vitest -u tests/sdks` writes these files. Without `-u`, the test fails if a file differs from the definition.
it.each([
  ["python/src/surety/generated/models.py", pythonModels],
  ["python/src/surety/generated/operations.py", pythonOperations],
  ["python/src/surety/codes.py", pythonCodes],
  ["php/src/generated/models.php", phpModels],
  ["php/src/generated/operations.php", phpOperations],
  ["php/src/generated/codes.php", phpCodes],
  ["go/models.generated.go", goModels],
  ["go/operations.generated.go", goOperations],
  ["go/codes.generated.go", goCodes],
  ["go/webhooks/topics.generated.go", goTopics]
])("sdks/%s is what the interface's definition says", async (file, make) => {
  await expect(make(all)).toMatchFileSnapshot(`../../sdks/${file}`)
})
