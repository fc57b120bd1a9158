package example.admin.v1;

import static io.grpc.MethodDescriptor.generateFullMethodName;

/**
 * <pre>
 * Administers the service. Every call needs a key with the scope `admin`.
 * </pre>
 */
@io.grpc.stub.annotations.GrpcGenerated
public final class AdminServiceGrpc {

  private AdminServiceGrpc() {}

  public static final java.lang.String SERVICE_NAME = "admin.v1.AdminService";

  // Static method descriptors that strictly reflect the proto.
  private static volatile io.grpc.MethodDescriptor<example.admin.v1.CreateAccountRequest,
      example.admin.v1.CreateAccountResponse> getCreateAccountMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "CreateAccount",
      requestType = example.admin.v1.CreateAccountRequest.class,
      responseType = example.admin.v1.CreateAccountResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<example.admin.v1.CreateAccountRequest,
      example.admin.v1.CreateAccountResponse> getCreateAccountMethod() {
    io.grpc.MethodDescriptor<example.admin.v1.CreateAccountRequest, example.admin.v1.CreateAccountResponse> getCreateAccountMethod;
    if ((getCreateAccountMethod = AdminServiceGrpc.getCreateAccountMethod) == null) {
      synchronized (AdminServiceGrpc.class) {
        if ((getCreateAccountMethod = AdminServiceGrpc.getCreateAccountMethod) == null) {
          AdminServiceGrpc.getCreateAccountMethod = getCreateAccountMethod =
              io.grpc.MethodDescriptor.<example.admin.v1.CreateAccountRequest, example.admin.v1.CreateAccountResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "CreateAccount"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.admin.v1.CreateAccountRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.admin.v1.CreateAccountResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AdminServiceMethodDescriptorSupplier("CreateAccount"))
              .build();
        }
      }
    }
    return getCreateAccountMethod;
  }

  private static volatile io.grpc.MethodDescriptor<example.admin.v1.GetAccountRequest,
      example.admin.v1.GetAccountResponse> getGetAccountMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "GetAccount",
      requestType = example.admin.v1.GetAccountRequest.class,
      responseType = example.admin.v1.GetAccountResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<example.admin.v1.GetAccountRequest,
      example.admin.v1.GetAccountResponse> getGetAccountMethod() {
    io.grpc.MethodDescriptor<example.admin.v1.GetAccountRequest, example.admin.v1.GetAccountResponse> getGetAccountMethod;
    if ((getGetAccountMethod = AdminServiceGrpc.getGetAccountMethod) == null) {
      synchronized (AdminServiceGrpc.class) {
        if ((getGetAccountMethod = AdminServiceGrpc.getGetAccountMethod) == null) {
          AdminServiceGrpc.getGetAccountMethod = getGetAccountMethod =
              io.grpc.MethodDescriptor.<example.admin.v1.GetAccountRequest, example.admin.v1.GetAccountResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "GetAccount"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.admin.v1.GetAccountRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.admin.v1.GetAccountResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AdminServiceMethodDescriptorSupplier("GetAccount"))
              .build();
        }
      }
    }
    return getGetAccountMethod;
  }

  private static volatile io.grpc.MethodDescriptor<example.admin.v1.ListAccountsRequest,
      example.admin.v1.ListAccountsResponse> getListAccountsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ListAccounts",
      requestType = example.admin.v1.ListAccountsRequest.class,
      responseType = example.admin.v1.ListAccountsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<example.admin.v1.ListAccountsRequest,
      example.admin.v1.ListAccountsResponse> getListAccountsMethod() {
    io.grpc.MethodDescriptor<example.admin.v1.ListAccountsRequest, example.admin.v1.ListAccountsResponse> getListAccountsMethod;
    if ((getListAccountsMethod = AdminServiceGrpc.getListAccountsMethod) == null) {
      synchronized (AdminServiceGrpc.class) {
        if ((getListAccountsMethod = AdminServiceGrpc.getListAccountsMethod) == null) {
          AdminServiceGrpc.getListAccountsMethod = getListAccountsMethod =
              io.grpc.MethodDescriptor.<example.admin.v1.ListAccountsRequest, example.admin.v1.ListAccountsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ListAccounts"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.admin.v1.ListAccountsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.admin.v1.ListAccountsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AdminServiceMethodDescriptorSupplier("ListAccounts"))
              .build();
        }
      }
    }
    return getListAccountsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<example.admin.v1.SetPlanRequest,
      example.admin.v1.SetPlanResponse> getSetPlanMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "SetPlan",
      requestType = example.admin.v1.SetPlanRequest.class,
      responseType = example.admin.v1.SetPlanResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<example.admin.v1.SetPlanRequest,
      example.admin.v1.SetPlanResponse> getSetPlanMethod() {
    io.grpc.MethodDescriptor<example.admin.v1.SetPlanRequest, example.admin.v1.SetPlanResponse> getSetPlanMethod;
    if ((getSetPlanMethod = AdminServiceGrpc.getSetPlanMethod) == null) {
      synchronized (AdminServiceGrpc.class) {
        if ((getSetPlanMethod = AdminServiceGrpc.getSetPlanMethod) == null) {
          AdminServiceGrpc.getSetPlanMethod = getSetPlanMethod =
              io.grpc.MethodDescriptor.<example.admin.v1.SetPlanRequest, example.admin.v1.SetPlanResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "SetPlan"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.admin.v1.SetPlanRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.admin.v1.SetPlanResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AdminServiceMethodDescriptorSupplier("SetPlan"))
              .build();
        }
      }
    }
    return getSetPlanMethod;
  }

  private static volatile io.grpc.MethodDescriptor<example.admin.v1.RenameAccountRequest,
      example.admin.v1.RenameAccountResponse> getRenameAccountMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "RenameAccount",
      requestType = example.admin.v1.RenameAccountRequest.class,
      responseType = example.admin.v1.RenameAccountResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<example.admin.v1.RenameAccountRequest,
      example.admin.v1.RenameAccountResponse> getRenameAccountMethod() {
    io.grpc.MethodDescriptor<example.admin.v1.RenameAccountRequest, example.admin.v1.RenameAccountResponse> getRenameAccountMethod;
    if ((getRenameAccountMethod = AdminServiceGrpc.getRenameAccountMethod) == null) {
      synchronized (AdminServiceGrpc.class) {
        if ((getRenameAccountMethod = AdminServiceGrpc.getRenameAccountMethod) == null) {
          AdminServiceGrpc.getRenameAccountMethod = getRenameAccountMethod =
              io.grpc.MethodDescriptor.<example.admin.v1.RenameAccountRequest, example.admin.v1.RenameAccountResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "RenameAccount"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.admin.v1.RenameAccountRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.admin.v1.RenameAccountResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AdminServiceMethodDescriptorSupplier("RenameAccount"))
              .build();
        }
      }
    }
    return getRenameAccountMethod;
  }

  private static volatile io.grpc.MethodDescriptor<example.admin.v1.DisableAccountRequest,
      example.admin.v1.DisableAccountResponse> getDisableAccountMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "DisableAccount",
      requestType = example.admin.v1.DisableAccountRequest.class,
      responseType = example.admin.v1.DisableAccountResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<example.admin.v1.DisableAccountRequest,
      example.admin.v1.DisableAccountResponse> getDisableAccountMethod() {
    io.grpc.MethodDescriptor<example.admin.v1.DisableAccountRequest, example.admin.v1.DisableAccountResponse> getDisableAccountMethod;
    if ((getDisableAccountMethod = AdminServiceGrpc.getDisableAccountMethod) == null) {
      synchronized (AdminServiceGrpc.class) {
        if ((getDisableAccountMethod = AdminServiceGrpc.getDisableAccountMethod) == null) {
          AdminServiceGrpc.getDisableAccountMethod = getDisableAccountMethod =
              io.grpc.MethodDescriptor.<example.admin.v1.DisableAccountRequest, example.admin.v1.DisableAccountResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "DisableAccount"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.admin.v1.DisableAccountRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.admin.v1.DisableAccountResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AdminServiceMethodDescriptorSupplier("DisableAccount"))
              .build();
        }
      }
    }
    return getDisableAccountMethod;
  }

  private static volatile io.grpc.MethodDescriptor<example.admin.v1.EnableAccountRequest,
      example.admin.v1.EnableAccountResponse> getEnableAccountMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "EnableAccount",
      requestType = example.admin.v1.EnableAccountRequest.class,
      responseType = example.admin.v1.EnableAccountResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<example.admin.v1.EnableAccountRequest,
      example.admin.v1.EnableAccountResponse> getEnableAccountMethod() {
    io.grpc.MethodDescriptor<example.admin.v1.EnableAccountRequest, example.admin.v1.EnableAccountResponse> getEnableAccountMethod;
    if ((getEnableAccountMethod = AdminServiceGrpc.getEnableAccountMethod) == null) {
      synchronized (AdminServiceGrpc.class) {
        if ((getEnableAccountMethod = AdminServiceGrpc.getEnableAccountMethod) == null) {
          AdminServiceGrpc.getEnableAccountMethod = getEnableAccountMethod =
              io.grpc.MethodDescriptor.<example.admin.v1.EnableAccountRequest, example.admin.v1.EnableAccountResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "EnableAccount"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.admin.v1.EnableAccountRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.admin.v1.EnableAccountResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AdminServiceMethodDescriptorSupplier("EnableAccount"))
              .build();
        }
      }
    }
    return getEnableAccountMethod;
  }

  private static volatile io.grpc.MethodDescriptor<example.admin.v1.DeleteAccountRequest,
      example.admin.v1.DeleteAccountResponse> getDeleteAccountMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "DeleteAccount",
      requestType = example.admin.v1.DeleteAccountRequest.class,
      responseType = example.admin.v1.DeleteAccountResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<example.admin.v1.DeleteAccountRequest,
      example.admin.v1.DeleteAccountResponse> getDeleteAccountMethod() {
    io.grpc.MethodDescriptor<example.admin.v1.DeleteAccountRequest, example.admin.v1.DeleteAccountResponse> getDeleteAccountMethod;
    if ((getDeleteAccountMethod = AdminServiceGrpc.getDeleteAccountMethod) == null) {
      synchronized (AdminServiceGrpc.class) {
        if ((getDeleteAccountMethod = AdminServiceGrpc.getDeleteAccountMethod) == null) {
          AdminServiceGrpc.getDeleteAccountMethod = getDeleteAccountMethod =
              io.grpc.MethodDescriptor.<example.admin.v1.DeleteAccountRequest, example.admin.v1.DeleteAccountResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "DeleteAccount"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.admin.v1.DeleteAccountRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.admin.v1.DeleteAccountResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AdminServiceMethodDescriptorSupplier("DeleteAccount"))
              .build();
        }
      }
    }
    return getDeleteAccountMethod;
  }

  private static volatile io.grpc.MethodDescriptor<example.admin.v1.GetAccountUsageRequest,
      example.admin.v1.GetAccountUsageResponse> getGetAccountUsageMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "GetAccountUsage",
      requestType = example.admin.v1.GetAccountUsageRequest.class,
      responseType = example.admin.v1.GetAccountUsageResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<example.admin.v1.GetAccountUsageRequest,
      example.admin.v1.GetAccountUsageResponse> getGetAccountUsageMethod() {
    io.grpc.MethodDescriptor<example.admin.v1.GetAccountUsageRequest, example.admin.v1.GetAccountUsageResponse> getGetAccountUsageMethod;
    if ((getGetAccountUsageMethod = AdminServiceGrpc.getGetAccountUsageMethod) == null) {
      synchronized (AdminServiceGrpc.class) {
        if ((getGetAccountUsageMethod = AdminServiceGrpc.getGetAccountUsageMethod) == null) {
          AdminServiceGrpc.getGetAccountUsageMethod = getGetAccountUsageMethod =
              io.grpc.MethodDescriptor.<example.admin.v1.GetAccountUsageRequest, example.admin.v1.GetAccountUsageResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "GetAccountUsage"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.admin.v1.GetAccountUsageRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.admin.v1.GetAccountUsageResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AdminServiceMethodDescriptorSupplier("GetAccountUsage"))
              .build();
        }
      }
    }
    return getGetAccountUsageMethod;
  }

  private static volatile io.grpc.MethodDescriptor<example.admin.v1.ListTopAccountsRequest,
      example.admin.v1.ListTopAccountsResponse> getListTopAccountsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ListTopAccounts",
      requestType = example.admin.v1.ListTopAccountsRequest.class,
      responseType = example.admin.v1.ListTopAccountsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<example.admin.v1.ListTopAccountsRequest,
      example.admin.v1.ListTopAccountsResponse> getListTopAccountsMethod() {
    io.grpc.MethodDescriptor<example.admin.v1.ListTopAccountsRequest, example.admin.v1.ListTopAccountsResponse> getListTopAccountsMethod;
    if ((getListTopAccountsMethod = AdminServiceGrpc.getListTopAccountsMethod) == null) {
      synchronized (AdminServiceGrpc.class) {
        if ((getListTopAccountsMethod = AdminServiceGrpc.getListTopAccountsMethod) == null) {
          AdminServiceGrpc.getListTopAccountsMethod = getListTopAccountsMethod =
              io.grpc.MethodDescriptor.<example.admin.v1.ListTopAccountsRequest, example.admin.v1.ListTopAccountsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ListTopAccounts"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.admin.v1.ListTopAccountsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.admin.v1.ListTopAccountsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AdminServiceMethodDescriptorSupplier("ListTopAccounts"))
              .build();
        }
      }
    }
    return getListTopAccountsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<example.admin.v1.CreateKeyRequest,
      example.admin.v1.CreateKeyResponse> getCreateKeyMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "CreateKey",
      requestType = example.admin.v1.CreateKeyRequest.class,
      responseType = example.admin.v1.CreateKeyResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<example.admin.v1.CreateKeyRequest,
      example.admin.v1.CreateKeyResponse> getCreateKeyMethod() {
    io.grpc.MethodDescriptor<example.admin.v1.CreateKeyRequest, example.admin.v1.CreateKeyResponse> getCreateKeyMethod;
    if ((getCreateKeyMethod = AdminServiceGrpc.getCreateKeyMethod) == null) {
      synchronized (AdminServiceGrpc.class) {
        if ((getCreateKeyMethod = AdminServiceGrpc.getCreateKeyMethod) == null) {
          AdminServiceGrpc.getCreateKeyMethod = getCreateKeyMethod =
              io.grpc.MethodDescriptor.<example.admin.v1.CreateKeyRequest, example.admin.v1.CreateKeyResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "CreateKey"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.admin.v1.CreateKeyRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.admin.v1.CreateKeyResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AdminServiceMethodDescriptorSupplier("CreateKey"))
              .build();
        }
      }
    }
    return getCreateKeyMethod;
  }

  private static volatile io.grpc.MethodDescriptor<example.admin.v1.ListKeysRequest,
      example.admin.v1.ListKeysResponse> getListKeysMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ListKeys",
      requestType = example.admin.v1.ListKeysRequest.class,
      responseType = example.admin.v1.ListKeysResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<example.admin.v1.ListKeysRequest,
      example.admin.v1.ListKeysResponse> getListKeysMethod() {
    io.grpc.MethodDescriptor<example.admin.v1.ListKeysRequest, example.admin.v1.ListKeysResponse> getListKeysMethod;
    if ((getListKeysMethod = AdminServiceGrpc.getListKeysMethod) == null) {
      synchronized (AdminServiceGrpc.class) {
        if ((getListKeysMethod = AdminServiceGrpc.getListKeysMethod) == null) {
          AdminServiceGrpc.getListKeysMethod = getListKeysMethod =
              io.grpc.MethodDescriptor.<example.admin.v1.ListKeysRequest, example.admin.v1.ListKeysResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ListKeys"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.admin.v1.ListKeysRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.admin.v1.ListKeysResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AdminServiceMethodDescriptorSupplier("ListKeys"))
              .build();
        }
      }
    }
    return getListKeysMethod;
  }

  private static volatile io.grpc.MethodDescriptor<example.admin.v1.ListAllKeysRequest,
      example.admin.v1.ListAllKeysResponse> getListAllKeysMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ListAllKeys",
      requestType = example.admin.v1.ListAllKeysRequest.class,
      responseType = example.admin.v1.ListAllKeysResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<example.admin.v1.ListAllKeysRequest,
      example.admin.v1.ListAllKeysResponse> getListAllKeysMethod() {
    io.grpc.MethodDescriptor<example.admin.v1.ListAllKeysRequest, example.admin.v1.ListAllKeysResponse> getListAllKeysMethod;
    if ((getListAllKeysMethod = AdminServiceGrpc.getListAllKeysMethod) == null) {
      synchronized (AdminServiceGrpc.class) {
        if ((getListAllKeysMethod = AdminServiceGrpc.getListAllKeysMethod) == null) {
          AdminServiceGrpc.getListAllKeysMethod = getListAllKeysMethod =
              io.grpc.MethodDescriptor.<example.admin.v1.ListAllKeysRequest, example.admin.v1.ListAllKeysResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ListAllKeys"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.admin.v1.ListAllKeysRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.admin.v1.ListAllKeysResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AdminServiceMethodDescriptorSupplier("ListAllKeys"))
              .build();
        }
      }
    }
    return getListAllKeysMethod;
  }

  private static volatile io.grpc.MethodDescriptor<example.admin.v1.ListBansRequest,
      example.admin.v1.ListBansResponse> getListBansMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ListBans",
      requestType = example.admin.v1.ListBansRequest.class,
      responseType = example.admin.v1.ListBansResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<example.admin.v1.ListBansRequest,
      example.admin.v1.ListBansResponse> getListBansMethod() {
    io.grpc.MethodDescriptor<example.admin.v1.ListBansRequest, example.admin.v1.ListBansResponse> getListBansMethod;
    if ((getListBansMethod = AdminServiceGrpc.getListBansMethod) == null) {
      synchronized (AdminServiceGrpc.class) {
        if ((getListBansMethod = AdminServiceGrpc.getListBansMethod) == null) {
          AdminServiceGrpc.getListBansMethod = getListBansMethod =
              io.grpc.MethodDescriptor.<example.admin.v1.ListBansRequest, example.admin.v1.ListBansResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ListBans"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.admin.v1.ListBansRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.admin.v1.ListBansResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AdminServiceMethodDescriptorSupplier("ListBans"))
              .build();
        }
      }
    }
    return getListBansMethod;
  }

  private static volatile io.grpc.MethodDescriptor<example.admin.v1.RevokeKeyRequest,
      example.admin.v1.RevokeKeyResponse> getRevokeKeyMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "RevokeKey",
      requestType = example.admin.v1.RevokeKeyRequest.class,
      responseType = example.admin.v1.RevokeKeyResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<example.admin.v1.RevokeKeyRequest,
      example.admin.v1.RevokeKeyResponse> getRevokeKeyMethod() {
    io.grpc.MethodDescriptor<example.admin.v1.RevokeKeyRequest, example.admin.v1.RevokeKeyResponse> getRevokeKeyMethod;
    if ((getRevokeKeyMethod = AdminServiceGrpc.getRevokeKeyMethod) == null) {
      synchronized (AdminServiceGrpc.class) {
        if ((getRevokeKeyMethod = AdminServiceGrpc.getRevokeKeyMethod) == null) {
          AdminServiceGrpc.getRevokeKeyMethod = getRevokeKeyMethod =
              io.grpc.MethodDescriptor.<example.admin.v1.RevokeKeyRequest, example.admin.v1.RevokeKeyResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "RevokeKey"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.admin.v1.RevokeKeyRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.admin.v1.RevokeKeyResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AdminServiceMethodDescriptorSupplier("RevokeKey"))
              .build();
        }
      }
    }
    return getRevokeKeyMethod;
  }

  private static volatile io.grpc.MethodDescriptor<example.admin.v1.RotateKeyRequest,
      example.admin.v1.RotateKeyResponse> getRotateKeyMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "RotateKey",
      requestType = example.admin.v1.RotateKeyRequest.class,
      responseType = example.admin.v1.RotateKeyResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<example.admin.v1.RotateKeyRequest,
      example.admin.v1.RotateKeyResponse> getRotateKeyMethod() {
    io.grpc.MethodDescriptor<example.admin.v1.RotateKeyRequest, example.admin.v1.RotateKeyResponse> getRotateKeyMethod;
    if ((getRotateKeyMethod = AdminServiceGrpc.getRotateKeyMethod) == null) {
      synchronized (AdminServiceGrpc.class) {
        if ((getRotateKeyMethod = AdminServiceGrpc.getRotateKeyMethod) == null) {
          AdminServiceGrpc.getRotateKeyMethod = getRotateKeyMethod =
              io.grpc.MethodDescriptor.<example.admin.v1.RotateKeyRequest, example.admin.v1.RotateKeyResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "RotateKey"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.admin.v1.RotateKeyRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.admin.v1.RotateKeyResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AdminServiceMethodDescriptorSupplier("RotateKey"))
              .build();
        }
      }
    }
    return getRotateKeyMethod;
  }

  private static volatile io.grpc.MethodDescriptor<example.admin.v1.UnbanKeyRequest,
      example.admin.v1.UnbanKeyResponse> getUnbanKeyMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "UnbanKey",
      requestType = example.admin.v1.UnbanKeyRequest.class,
      responseType = example.admin.v1.UnbanKeyResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<example.admin.v1.UnbanKeyRequest,
      example.admin.v1.UnbanKeyResponse> getUnbanKeyMethod() {
    io.grpc.MethodDescriptor<example.admin.v1.UnbanKeyRequest, example.admin.v1.UnbanKeyResponse> getUnbanKeyMethod;
    if ((getUnbanKeyMethod = AdminServiceGrpc.getUnbanKeyMethod) == null) {
      synchronized (AdminServiceGrpc.class) {
        if ((getUnbanKeyMethod = AdminServiceGrpc.getUnbanKeyMethod) == null) {
          AdminServiceGrpc.getUnbanKeyMethod = getUnbanKeyMethod =
              io.grpc.MethodDescriptor.<example.admin.v1.UnbanKeyRequest, example.admin.v1.UnbanKeyResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "UnbanKey"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.admin.v1.UnbanKeyRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.admin.v1.UnbanKeyResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AdminServiceMethodDescriptorSupplier("UnbanKey"))
              .build();
        }
      }
    }
    return getUnbanKeyMethod;
  }

  private static volatile io.grpc.MethodDescriptor<example.admin.v1.CreateItemRequest,
      example.admin.v1.CreateItemResponse> getCreateItemMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "CreateItem",
      requestType = example.admin.v1.CreateItemRequest.class,
      responseType = example.admin.v1.CreateItemResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<example.admin.v1.CreateItemRequest,
      example.admin.v1.CreateItemResponse> getCreateItemMethod() {
    io.grpc.MethodDescriptor<example.admin.v1.CreateItemRequest, example.admin.v1.CreateItemResponse> getCreateItemMethod;
    if ((getCreateItemMethod = AdminServiceGrpc.getCreateItemMethod) == null) {
      synchronized (AdminServiceGrpc.class) {
        if ((getCreateItemMethod = AdminServiceGrpc.getCreateItemMethod) == null) {
          AdminServiceGrpc.getCreateItemMethod = getCreateItemMethod =
              io.grpc.MethodDescriptor.<example.admin.v1.CreateItemRequest, example.admin.v1.CreateItemResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "CreateItem"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.admin.v1.CreateItemRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.admin.v1.CreateItemResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AdminServiceMethodDescriptorSupplier("CreateItem"))
              .build();
        }
      }
    }
    return getCreateItemMethod;
  }

  private static volatile io.grpc.MethodDescriptor<example.admin.v1.ImportItemsRequest,
      example.admin.v1.ImportItemsResponse> getImportItemsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ImportItems",
      requestType = example.admin.v1.ImportItemsRequest.class,
      responseType = example.admin.v1.ImportItemsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<example.admin.v1.ImportItemsRequest,
      example.admin.v1.ImportItemsResponse> getImportItemsMethod() {
    io.grpc.MethodDescriptor<example.admin.v1.ImportItemsRequest, example.admin.v1.ImportItemsResponse> getImportItemsMethod;
    if ((getImportItemsMethod = AdminServiceGrpc.getImportItemsMethod) == null) {
      synchronized (AdminServiceGrpc.class) {
        if ((getImportItemsMethod = AdminServiceGrpc.getImportItemsMethod) == null) {
          AdminServiceGrpc.getImportItemsMethod = getImportItemsMethod =
              io.grpc.MethodDescriptor.<example.admin.v1.ImportItemsRequest, example.admin.v1.ImportItemsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ImportItems"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.admin.v1.ImportItemsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.admin.v1.ImportItemsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AdminServiceMethodDescriptorSupplier("ImportItems"))
              .build();
        }
      }
    }
    return getImportItemsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<example.admin.v1.ImportInventoryRequest,
      example.admin.v1.ImportInventoryResponse> getImportInventoryMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ImportInventory",
      requestType = example.admin.v1.ImportInventoryRequest.class,
      responseType = example.admin.v1.ImportInventoryResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.CLIENT_STREAMING)
  public static io.grpc.MethodDescriptor<example.admin.v1.ImportInventoryRequest,
      example.admin.v1.ImportInventoryResponse> getImportInventoryMethod() {
    io.grpc.MethodDescriptor<example.admin.v1.ImportInventoryRequest, example.admin.v1.ImportInventoryResponse> getImportInventoryMethod;
    if ((getImportInventoryMethod = AdminServiceGrpc.getImportInventoryMethod) == null) {
      synchronized (AdminServiceGrpc.class) {
        if ((getImportInventoryMethod = AdminServiceGrpc.getImportInventoryMethod) == null) {
          AdminServiceGrpc.getImportInventoryMethod = getImportInventoryMethod =
              io.grpc.MethodDescriptor.<example.admin.v1.ImportInventoryRequest, example.admin.v1.ImportInventoryResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.CLIENT_STREAMING)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ImportInventory"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.admin.v1.ImportInventoryRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.admin.v1.ImportInventoryResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AdminServiceMethodDescriptorSupplier("ImportInventory"))
              .build();
        }
      }
    }
    return getImportInventoryMethod;
  }

  private static volatile io.grpc.MethodDescriptor<example.admin.v1.SetItemStatusRequest,
      example.admin.v1.SetItemStatusResponse> getSetItemStatusMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "SetItemStatus",
      requestType = example.admin.v1.SetItemStatusRequest.class,
      responseType = example.admin.v1.SetItemStatusResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<example.admin.v1.SetItemStatusRequest,
      example.admin.v1.SetItemStatusResponse> getSetItemStatusMethod() {
    io.grpc.MethodDescriptor<example.admin.v1.SetItemStatusRequest, example.admin.v1.SetItemStatusResponse> getSetItemStatusMethod;
    if ((getSetItemStatusMethod = AdminServiceGrpc.getSetItemStatusMethod) == null) {
      synchronized (AdminServiceGrpc.class) {
        if ((getSetItemStatusMethod = AdminServiceGrpc.getSetItemStatusMethod) == null) {
          AdminServiceGrpc.getSetItemStatusMethod = getSetItemStatusMethod =
              io.grpc.MethodDescriptor.<example.admin.v1.SetItemStatusRequest, example.admin.v1.SetItemStatusResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "SetItemStatus"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.admin.v1.SetItemStatusRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.admin.v1.SetItemStatusResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AdminServiceMethodDescriptorSupplier("SetItemStatus"))
              .build();
        }
      }
    }
    return getSetItemStatusMethod;
  }

  private static volatile io.grpc.MethodDescriptor<example.admin.v1.RemoveItemRequest,
      example.admin.v1.RemoveItemResponse> getRemoveItemMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "RemoveItem",
      requestType = example.admin.v1.RemoveItemRequest.class,
      responseType = example.admin.v1.RemoveItemResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<example.admin.v1.RemoveItemRequest,
      example.admin.v1.RemoveItemResponse> getRemoveItemMethod() {
    io.grpc.MethodDescriptor<example.admin.v1.RemoveItemRequest, example.admin.v1.RemoveItemResponse> getRemoveItemMethod;
    if ((getRemoveItemMethod = AdminServiceGrpc.getRemoveItemMethod) == null) {
      synchronized (AdminServiceGrpc.class) {
        if ((getRemoveItemMethod = AdminServiceGrpc.getRemoveItemMethod) == null) {
          AdminServiceGrpc.getRemoveItemMethod = getRemoveItemMethod =
              io.grpc.MethodDescriptor.<example.admin.v1.RemoveItemRequest, example.admin.v1.RemoveItemResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "RemoveItem"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.admin.v1.RemoveItemRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.admin.v1.RemoveItemResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AdminServiceMethodDescriptorSupplier("RemoveItem"))
              .build();
        }
      }
    }
    return getRemoveItemMethod;
  }

  private static volatile io.grpc.MethodDescriptor<example.admin.v1.ListOrdersRequest,
      example.admin.v1.ListOrdersResponse> getListOrdersMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ListOrders",
      requestType = example.admin.v1.ListOrdersRequest.class,
      responseType = example.admin.v1.ListOrdersResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<example.admin.v1.ListOrdersRequest,
      example.admin.v1.ListOrdersResponse> getListOrdersMethod() {
    io.grpc.MethodDescriptor<example.admin.v1.ListOrdersRequest, example.admin.v1.ListOrdersResponse> getListOrdersMethod;
    if ((getListOrdersMethod = AdminServiceGrpc.getListOrdersMethod) == null) {
      synchronized (AdminServiceGrpc.class) {
        if ((getListOrdersMethod = AdminServiceGrpc.getListOrdersMethod) == null) {
          AdminServiceGrpc.getListOrdersMethod = getListOrdersMethod =
              io.grpc.MethodDescriptor.<example.admin.v1.ListOrdersRequest, example.admin.v1.ListOrdersResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ListOrders"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.admin.v1.ListOrdersRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.admin.v1.ListOrdersResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AdminServiceMethodDescriptorSupplier("ListOrders"))
              .build();
        }
      }
    }
    return getListOrdersMethod;
  }

  private static volatile io.grpc.MethodDescriptor<example.admin.v1.CancelOrderRequest,
      example.admin.v1.CancelOrderResponse> getCancelOrderMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "CancelOrder",
      requestType = example.admin.v1.CancelOrderRequest.class,
      responseType = example.admin.v1.CancelOrderResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<example.admin.v1.CancelOrderRequest,
      example.admin.v1.CancelOrderResponse> getCancelOrderMethod() {
    io.grpc.MethodDescriptor<example.admin.v1.CancelOrderRequest, example.admin.v1.CancelOrderResponse> getCancelOrderMethod;
    if ((getCancelOrderMethod = AdminServiceGrpc.getCancelOrderMethod) == null) {
      synchronized (AdminServiceGrpc.class) {
        if ((getCancelOrderMethod = AdminServiceGrpc.getCancelOrderMethod) == null) {
          AdminServiceGrpc.getCancelOrderMethod = getCancelOrderMethod =
              io.grpc.MethodDescriptor.<example.admin.v1.CancelOrderRequest, example.admin.v1.CancelOrderResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "CancelOrder"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.admin.v1.CancelOrderRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.admin.v1.CancelOrderResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AdminServiceMethodDescriptorSupplier("CancelOrder"))
              .build();
        }
      }
    }
    return getCancelOrderMethod;
  }

  private static volatile io.grpc.MethodDescriptor<example.admin.v1.AdvanceOrderRequest,
      example.admin.v1.AdvanceOrderResponse> getAdvanceOrderMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "AdvanceOrder",
      requestType = example.admin.v1.AdvanceOrderRequest.class,
      responseType = example.admin.v1.AdvanceOrderResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<example.admin.v1.AdvanceOrderRequest,
      example.admin.v1.AdvanceOrderResponse> getAdvanceOrderMethod() {
    io.grpc.MethodDescriptor<example.admin.v1.AdvanceOrderRequest, example.admin.v1.AdvanceOrderResponse> getAdvanceOrderMethod;
    if ((getAdvanceOrderMethod = AdminServiceGrpc.getAdvanceOrderMethod) == null) {
      synchronized (AdminServiceGrpc.class) {
        if ((getAdvanceOrderMethod = AdminServiceGrpc.getAdvanceOrderMethod) == null) {
          AdminServiceGrpc.getAdvanceOrderMethod = getAdvanceOrderMethod =
              io.grpc.MethodDescriptor.<example.admin.v1.AdvanceOrderRequest, example.admin.v1.AdvanceOrderResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "AdvanceOrder"))
              .setIdempotent(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.admin.v1.AdvanceOrderRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.admin.v1.AdvanceOrderResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AdminServiceMethodDescriptorSupplier("AdvanceOrder"))
              .build();
        }
      }
    }
    return getAdvanceOrderMethod;
  }

  private static volatile io.grpc.MethodDescriptor<example.admin.v1.ListAuditEntriesRequest,
      example.admin.v1.ListAuditEntriesResponse> getListAuditEntriesMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ListAuditEntries",
      requestType = example.admin.v1.ListAuditEntriesRequest.class,
      responseType = example.admin.v1.ListAuditEntriesResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<example.admin.v1.ListAuditEntriesRequest,
      example.admin.v1.ListAuditEntriesResponse> getListAuditEntriesMethod() {
    io.grpc.MethodDescriptor<example.admin.v1.ListAuditEntriesRequest, example.admin.v1.ListAuditEntriesResponse> getListAuditEntriesMethod;
    if ((getListAuditEntriesMethod = AdminServiceGrpc.getListAuditEntriesMethod) == null) {
      synchronized (AdminServiceGrpc.class) {
        if ((getListAuditEntriesMethod = AdminServiceGrpc.getListAuditEntriesMethod) == null) {
          AdminServiceGrpc.getListAuditEntriesMethod = getListAuditEntriesMethod =
              io.grpc.MethodDescriptor.<example.admin.v1.ListAuditEntriesRequest, example.admin.v1.ListAuditEntriesResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ListAuditEntries"))
              .setSafe(true)
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.admin.v1.ListAuditEntriesRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  example.admin.v1.ListAuditEntriesResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AdminServiceMethodDescriptorSupplier("ListAuditEntries"))
              .build();
        }
      }
    }
    return getListAuditEntriesMethod;
  }

  /**
   * Creates a new async stub that supports all call types for the service
   */
  public static AdminServiceStub newStub(io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<AdminServiceStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<AdminServiceStub>() {
        @java.lang.Override
        public AdminServiceStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new AdminServiceStub(channel, callOptions);
        }
      };
    return AdminServiceStub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports all types of calls on the service
   */
  public static AdminServiceBlockingV2Stub newBlockingV2Stub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<AdminServiceBlockingV2Stub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<AdminServiceBlockingV2Stub>() {
        @java.lang.Override
        public AdminServiceBlockingV2Stub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new AdminServiceBlockingV2Stub(channel, callOptions);
        }
      };
    return AdminServiceBlockingV2Stub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports unary and streaming output calls on the service
   */
  public static AdminServiceBlockingStub newBlockingStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<AdminServiceBlockingStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<AdminServiceBlockingStub>() {
        @java.lang.Override
        public AdminServiceBlockingStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new AdminServiceBlockingStub(channel, callOptions);
        }
      };
    return AdminServiceBlockingStub.newStub(factory, channel);
  }

  /**
   * Creates a new ListenableFuture-style stub that supports unary calls on the service
   */
  public static AdminServiceFutureStub newFutureStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<AdminServiceFutureStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<AdminServiceFutureStub>() {
        @java.lang.Override
        public AdminServiceFutureStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new AdminServiceFutureStub(channel, callOptions);
        }
      };
    return AdminServiceFutureStub.newStub(factory, channel);
  }

  /**
   * <pre>
   * Administers the service. Every call needs a key with the scope `admin`.
   * </pre>
   */
  public interface AsyncService {

    /**
     * <pre>
     * Creates an account.
     * </pre>
     */
    default void createAccount(example.admin.v1.CreateAccountRequest request,
        io.grpc.stub.StreamObserver<example.admin.v1.CreateAccountResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getCreateAccountMethod(), responseObserver);
    }

    /**
     * <pre>
     * Returns one account. Fails with NOT_FOUND when it does not exist.
     * </pre>
     */
    default void getAccount(example.admin.v1.GetAccountRequest request,
        io.grpc.stub.StreamObserver<example.admin.v1.GetAccountResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getGetAccountMethod(), responseObserver);
    }

    /**
     * <pre>
     * Returns the accounts, oldest first, one page at a time.
     * </pre>
     */
    default void listAccounts(example.admin.v1.ListAccountsRequest request,
        io.grpc.stub.StreamObserver<example.admin.v1.ListAccountsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getListAccountsMethod(), responseObserver);
    }

    /**
     * <pre>
     * Changes the plan of an account. The new limits apply from its next request. Fails with
     * NOT_FOUND when the account does not exist.
     * </pre>
     */
    default void setPlan(example.admin.v1.SetPlanRequest request,
        io.grpc.stub.StreamObserver<example.admin.v1.SetPlanResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getSetPlanMethod(), responseObserver);
    }

    /**
     * <pre>
     * Renames an account. Fails with NOT_FOUND when the account does not exist.
     * </pre>
     */
    default void renameAccount(example.admin.v1.RenameAccountRequest request,
        io.grpc.stub.StreamObserver<example.admin.v1.RenameAccountResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getRenameAccountMethod(), responseObserver);
    }

    /**
     * <pre>
     * Disables an account: from the next request, all requests with its keys fail with
     * PERMISSION_DENIED and the reason ACCOUNT_DISABLED. They are not counted. Keys, orders and
     * usage remain. If the account is disabled already, the call succeeds and changes nothing.
     * Fails with NOT_FOUND when the account does not exist. Fails with FAILED_PRECONDITION for
     * the account of the calling key.
     * </pre>
     */
    default void disableAccount(example.admin.v1.DisableAccountRequest request,
        io.grpc.stub.StreamObserver<example.admin.v1.DisableAccountResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getDisableAccountMethod(), responseObserver);
    }

    /**
     * <pre>
     * Enables a disabled account. If the account is enabled already, the call succeeds and
     * changes nothing. Fails with NOT_FOUND when the account does not exist.
     * </pre>
     */
    default void enableAccount(example.admin.v1.EnableAccountRequest request,
        io.grpc.stub.StreamObserver<example.admin.v1.EnableAccountResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getEnableAccountMethod(), responseObserver);
    }

    /**
     * <pre>
     * Deletes an account with its keys, orders and usage. It does not put the quantities of
     * orders back into stock. The history and the audit trail keep the account's id. If the
     * service stops before the end, call it again: it deletes the rest.
     * Fails with NOT_FOUND when nothing of the account exists. Fails with FAILED_PRECONDITION
     * for the account of the calling key.
     * </pre>
     */
    default void deleteAccount(example.admin.v1.DeleteAccountRequest request,
        io.grpc.stub.StreamObserver<example.admin.v1.DeleteAccountResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getDeleteAccountMethod(), responseObserver);
    }

    /**
     * <pre>
     * Returns the usage of an account. Fails with NOT_FOUND when the account does not exist.
     * </pre>
     */
    default void getAccountUsage(example.admin.v1.GetAccountUsageRequest request,
        io.grpc.stub.StreamObserver<example.admin.v1.GetAccountUsageResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getGetAccountUsageMethod(), responseObserver);
    }

    /**
     * <pre>
     * Returns the accounts with the most requests of today (in UTC), or with the most refused
     * ones, and what is left of their limits.
     * </pre>
     */
    default void listTopAccounts(example.admin.v1.ListTopAccountsRequest request,
        io.grpc.stub.StreamObserver<example.admin.v1.ListTopAccountsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getListTopAccountsMethod(), responseObserver);
    }

    /**
     * <pre>
     * Creates an API key. Only this response contains its secret. Fails with NOT_FOUND when
     * the account does not exist, and with FAILED_PRECONDITION when it has 1,000 valid keys.
     * </pre>
     */
    default void createKey(example.admin.v1.CreateKeyRequest request,
        io.grpc.stub.StreamObserver<example.admin.v1.CreateKeyResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getCreateKeyMethod(), responseObserver);
    }

    /**
     * <pre>
     * Returns all keys of an account, oldest first, without their secrets. Fails with
     * NOT_FOUND when the account does not exist.
     * </pre>
     */
    default void listKeys(example.admin.v1.ListKeysRequest request,
        io.grpc.stub.StreamObserver<example.admin.v1.ListKeysResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getListKeysMethod(), responseObserver);
    }

    /**
     * <pre>
     * Returns the keys of all accounts, without their secrets, one page at a time: account by
     * account, oldest first.
     * </pre>
     */
    default void listAllKeys(example.admin.v1.ListAllKeysRequest request,
        io.grpc.stub.StreamObserver<example.admin.v1.ListAllKeysResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getListAllKeysMethod(), responseObserver);
    }

    /**
     * <pre>
     * Returns the keys that are banned now, those whose ban ends first at the beginning, one
     * page at a time.
     * </pre>
     */
    default void listBans(example.admin.v1.ListBansRequest request,
        io.grpc.stub.StreamObserver<example.admin.v1.ListBansResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getListBansMethod(), responseObserver);
    }

    /**
     * <pre>
     * Revokes a key. Its next request is rejected. If the key is revoked already, the call
     * succeeds and changes nothing. Fails with NOT_FOUND when the key does not exist.
     * </pre>
     */
    default void revokeKey(example.admin.v1.RevokeKeyRequest request,
        io.grpc.stub.StreamObserver<example.admin.v1.RevokeKeyResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getRevokeKeyMethod(), responseObserver);
    }

    /**
     * <pre>
     * Creates a new key with the name and scopes of an old one. The old key stays valid for
     * a grace period. Fails with NOT_FOUND when the old key does not exist. Fails with
     * FAILED_PRECONDITION when the old key was revoked or has expired, or when the account has
     * 1,000 valid keys.
     * </pre>
     */
    default void rotateKey(example.admin.v1.RotateKeyRequest request,
        io.grpc.stub.StreamObserver<example.admin.v1.RotateKeyResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getRotateKeyMethod(), responseObserver);
    }

    /**
     * <pre>
     * Lifts the ban of a key and deletes its record of earlier bans. Fails with NOT_FOUND when
     * the key does not exist.
     * </pre>
     */
    default void unbanKey(example.admin.v1.UnbanKeyRequest request,
        io.grpc.stub.StreamObserver<example.admin.v1.UnbanKeyResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getUnbanKeyMethod(), responseObserver);
    }

    /**
     * <pre>
     * Adds a pet to the catalogue. Fails with ALREADY_EXISTS when the pet exists.
     * </pre>
     */
    default void createItem(example.admin.v1.CreateItemRequest request,
        io.grpc.stub.StreamObserver<example.admin.v1.CreateItemResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getCreateItemMethod(), responseObserver);
    }

    /**
     * <pre>
     * Adds pets, or sets the quantity and status of existing pets: all or none. Counts as one
     * request for any number of pets.
     * </pre>
     */
    default void importItems(example.admin.v1.ImportItemsRequest request,
        io.grpc.stub.StreamObserver<example.admin.v1.ImportItemsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getImportItemsMethod(), responseObserver);
    }

    /**
     * <pre>
     * Adds pets, or sets the quantity and status of existing pets. A stream can have any number
     * of messages. The service applies each message all or none before it reads the next. It
     * applies a message at most once, even if it has to retry because Redis did not respond in
     * time.
     * The ErrorInfo of an error has the metadata `appliedRows`: the number of pets that were
     * applied before the error. To finish, send the other pets. Sending all of them again is
     * safe, too.
     * The whole stream counts as one request: the limits protect the service from its
     * callers, not from its operator.
     * </pre>
     */
    default io.grpc.stub.StreamObserver<example.admin.v1.ImportInventoryRequest> importInventory(
        io.grpc.stub.StreamObserver<example.admin.v1.ImportInventoryResponse> responseObserver) {
      return io.grpc.stub.ServerCalls.asyncUnimplementedStreamingCall(getImportInventoryMethod(), responseObserver);
    }

    /**
     * <pre>
     * Sets the status of a pet. Fails with NOT_FOUND when the pet does not exist.
     * </pre>
     */
    default void setItemStatus(example.admin.v1.SetItemStatusRequest request,
        io.grpc.stub.StreamObserver<example.admin.v1.SetItemStatusResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getSetItemStatusMethod(), responseObserver);
    }

    /**
     * <pre>
     * Removes a pet from the catalogue. Fails with NOT_FOUND when the pet does not exist.
     * </pre>
     */
    default void removeItem(example.admin.v1.RemoveItemRequest request,
        io.grpc.stub.StreamObserver<example.admin.v1.RemoveItemResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getRemoveItemMethod(), responseObserver);
    }

    /**
     * <pre>
     * Returns the orders of all accounts, newest first, one page at a time.
     * </pre>
     */
    default void listOrders(example.admin.v1.ListOrdersRequest request,
        io.grpc.stub.StreamObserver<example.admin.v1.ListOrdersResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getListOrdersMethod(), responseObserver);
    }

    /**
     * <pre>
     * Cancels an order and puts its quantity back into stock, in one atomic step. If the order
     * is cancelled already, the call succeeds and changes nothing. Fails with NOT_FOUND when the
     * account has no such order. Fails with FAILED_PRECONDITION when the order was delivered, or
     * when the stock would exceed 2147483647.
     * </pre>
     */
    default void cancelOrder(example.admin.v1.CancelOrderRequest request,
        io.grpc.stub.StreamObserver<example.admin.v1.CancelOrderResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getCancelOrderMethod(), responseObserver);
    }

    /**
     * <pre>
     * Marks an order as approved or delivered. Fails with NOT_FOUND when the account has no
     * such order. Fails with FAILED_PRECONDITION when the order was cancelled, or has a later
     * status already.
     * </pre>
     */
    default void advanceOrder(example.admin.v1.AdvanceOrderRequest request,
        io.grpc.stub.StreamObserver<example.admin.v1.AdvanceOrderResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getAdvanceOrderMethod(), responseObserver);
    }

    /**
     * <pre>
     * Returns entries of the audit trail, newest first, one page at a time. The trail has every
     * call of AdminService and every change by the command line. Each entry has a hash of itself
     * and of the entry before it, so the chain shows whether an entry was changed or removed.
     * A change has two entries: one before it is made, and one with its result. Successful calls
     * of this method, GetAccountUsage, ListTopAccounts and ListBans are recorded once in ten
     * minutes for each key, account and process.
     * </pre>
     */
    default void listAuditEntries(example.admin.v1.ListAuditEntriesRequest request,
        io.grpc.stub.StreamObserver<example.admin.v1.ListAuditEntriesResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getListAuditEntriesMethod(), responseObserver);
    }
  }

  /**
   * Base class for the server implementation of the service AdminService.
   * <pre>
   * Administers the service. Every call needs a key with the scope `admin`.
   * </pre>
   */
  public static abstract class AdminServiceImplBase
      implements io.grpc.BindableService, AsyncService {

    @java.lang.Override public final io.grpc.ServerServiceDefinition bindService() {
      return AdminServiceGrpc.bindService(this);
    }
  }

  /**
   * A stub to allow clients to do asynchronous rpc calls to service AdminService.
   * <pre>
   * Administers the service. Every call needs a key with the scope `admin`.
   * </pre>
   */
  public static final class AdminServiceStub
      extends io.grpc.stub.AbstractAsyncStub<AdminServiceStub> {
    private AdminServiceStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected AdminServiceStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new AdminServiceStub(channel, callOptions);
    }

    /**
     * <pre>
     * Creates an account.
     * </pre>
     */
    public void createAccount(example.admin.v1.CreateAccountRequest request,
        io.grpc.stub.StreamObserver<example.admin.v1.CreateAccountResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getCreateAccountMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Returns one account. Fails with NOT_FOUND when it does not exist.
     * </pre>
     */
    public void getAccount(example.admin.v1.GetAccountRequest request,
        io.grpc.stub.StreamObserver<example.admin.v1.GetAccountResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getGetAccountMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Returns the accounts, oldest first, one page at a time.
     * </pre>
     */
    public void listAccounts(example.admin.v1.ListAccountsRequest request,
        io.grpc.stub.StreamObserver<example.admin.v1.ListAccountsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getListAccountsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Changes the plan of an account. The new limits apply from its next request. Fails with
     * NOT_FOUND when the account does not exist.
     * </pre>
     */
    public void setPlan(example.admin.v1.SetPlanRequest request,
        io.grpc.stub.StreamObserver<example.admin.v1.SetPlanResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getSetPlanMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Renames an account. Fails with NOT_FOUND when the account does not exist.
     * </pre>
     */
    public void renameAccount(example.admin.v1.RenameAccountRequest request,
        io.grpc.stub.StreamObserver<example.admin.v1.RenameAccountResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getRenameAccountMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Disables an account: from the next request, all requests with its keys fail with
     * PERMISSION_DENIED and the reason ACCOUNT_DISABLED. They are not counted. Keys, orders and
     * usage remain. If the account is disabled already, the call succeeds and changes nothing.
     * Fails with NOT_FOUND when the account does not exist. Fails with FAILED_PRECONDITION for
     * the account of the calling key.
     * </pre>
     */
    public void disableAccount(example.admin.v1.DisableAccountRequest request,
        io.grpc.stub.StreamObserver<example.admin.v1.DisableAccountResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getDisableAccountMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Enables a disabled account. If the account is enabled already, the call succeeds and
     * changes nothing. Fails with NOT_FOUND when the account does not exist.
     * </pre>
     */
    public void enableAccount(example.admin.v1.EnableAccountRequest request,
        io.grpc.stub.StreamObserver<example.admin.v1.EnableAccountResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getEnableAccountMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Deletes an account with its keys, orders and usage. It does not put the quantities of
     * orders back into stock. The history and the audit trail keep the account's id. If the
     * service stops before the end, call it again: it deletes the rest.
     * Fails with NOT_FOUND when nothing of the account exists. Fails with FAILED_PRECONDITION
     * for the account of the calling key.
     * </pre>
     */
    public void deleteAccount(example.admin.v1.DeleteAccountRequest request,
        io.grpc.stub.StreamObserver<example.admin.v1.DeleteAccountResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getDeleteAccountMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Returns the usage of an account. Fails with NOT_FOUND when the account does not exist.
     * </pre>
     */
    public void getAccountUsage(example.admin.v1.GetAccountUsageRequest request,
        io.grpc.stub.StreamObserver<example.admin.v1.GetAccountUsageResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getGetAccountUsageMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Returns the accounts with the most requests of today (in UTC), or with the most refused
     * ones, and what is left of their limits.
     * </pre>
     */
    public void listTopAccounts(example.admin.v1.ListTopAccountsRequest request,
        io.grpc.stub.StreamObserver<example.admin.v1.ListTopAccountsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getListTopAccountsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Creates an API key. Only this response contains its secret. Fails with NOT_FOUND when
     * the account does not exist, and with FAILED_PRECONDITION when it has 1,000 valid keys.
     * </pre>
     */
    public void createKey(example.admin.v1.CreateKeyRequest request,
        io.grpc.stub.StreamObserver<example.admin.v1.CreateKeyResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getCreateKeyMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Returns all keys of an account, oldest first, without their secrets. Fails with
     * NOT_FOUND when the account does not exist.
     * </pre>
     */
    public void listKeys(example.admin.v1.ListKeysRequest request,
        io.grpc.stub.StreamObserver<example.admin.v1.ListKeysResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getListKeysMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Returns the keys of all accounts, without their secrets, one page at a time: account by
     * account, oldest first.
     * </pre>
     */
    public void listAllKeys(example.admin.v1.ListAllKeysRequest request,
        io.grpc.stub.StreamObserver<example.admin.v1.ListAllKeysResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getListAllKeysMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Returns the keys that are banned now, those whose ban ends first at the beginning, one
     * page at a time.
     * </pre>
     */
    public void listBans(example.admin.v1.ListBansRequest request,
        io.grpc.stub.StreamObserver<example.admin.v1.ListBansResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getListBansMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Revokes a key. Its next request is rejected. If the key is revoked already, the call
     * succeeds and changes nothing. Fails with NOT_FOUND when the key does not exist.
     * </pre>
     */
    public void revokeKey(example.admin.v1.RevokeKeyRequest request,
        io.grpc.stub.StreamObserver<example.admin.v1.RevokeKeyResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getRevokeKeyMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Creates a new key with the name and scopes of an old one. The old key stays valid for
     * a grace period. Fails with NOT_FOUND when the old key does not exist. Fails with
     * FAILED_PRECONDITION when the old key was revoked or has expired, or when the account has
     * 1,000 valid keys.
     * </pre>
     */
    public void rotateKey(example.admin.v1.RotateKeyRequest request,
        io.grpc.stub.StreamObserver<example.admin.v1.RotateKeyResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getRotateKeyMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Lifts the ban of a key and deletes its record of earlier bans. Fails with NOT_FOUND when
     * the key does not exist.
     * </pre>
     */
    public void unbanKey(example.admin.v1.UnbanKeyRequest request,
        io.grpc.stub.StreamObserver<example.admin.v1.UnbanKeyResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getUnbanKeyMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Adds a pet to the catalogue. Fails with ALREADY_EXISTS when the pet exists.
     * </pre>
     */
    public void createItem(example.admin.v1.CreateItemRequest request,
        io.grpc.stub.StreamObserver<example.admin.v1.CreateItemResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getCreateItemMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Adds pets, or sets the quantity and status of existing pets: all or none. Counts as one
     * request for any number of pets.
     * </pre>
     */
    public void importItems(example.admin.v1.ImportItemsRequest request,
        io.grpc.stub.StreamObserver<example.admin.v1.ImportItemsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getImportItemsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Adds pets, or sets the quantity and status of existing pets. A stream can have any number
     * of messages. The service applies each message all or none before it reads the next. It
     * applies a message at most once, even if it has to retry because Redis did not respond in
     * time.
     * The ErrorInfo of an error has the metadata `appliedRows`: the number of pets that were
     * applied before the error. To finish, send the other pets. Sending all of them again is
     * safe, too.
     * The whole stream counts as one request: the limits protect the service from its
     * callers, not from its operator.
     * </pre>
     */
    public io.grpc.stub.StreamObserver<example.admin.v1.ImportInventoryRequest> importInventory(
        io.grpc.stub.StreamObserver<example.admin.v1.ImportInventoryResponse> responseObserver) {
      return io.grpc.stub.ClientCalls.asyncClientStreamingCall(
          getChannel().newCall(getImportInventoryMethod(), getCallOptions()), responseObserver);
    }

    /**
     * <pre>
     * Sets the status of a pet. Fails with NOT_FOUND when the pet does not exist.
     * </pre>
     */
    public void setItemStatus(example.admin.v1.SetItemStatusRequest request,
        io.grpc.stub.StreamObserver<example.admin.v1.SetItemStatusResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getSetItemStatusMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Removes a pet from the catalogue. Fails with NOT_FOUND when the pet does not exist.
     * </pre>
     */
    public void removeItem(example.admin.v1.RemoveItemRequest request,
        io.grpc.stub.StreamObserver<example.admin.v1.RemoveItemResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getRemoveItemMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Returns the orders of all accounts, newest first, one page at a time.
     * </pre>
     */
    public void listOrders(example.admin.v1.ListOrdersRequest request,
        io.grpc.stub.StreamObserver<example.admin.v1.ListOrdersResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getListOrdersMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Cancels an order and puts its quantity back into stock, in one atomic step. If the order
     * is cancelled already, the call succeeds and changes nothing. Fails with NOT_FOUND when the
     * account has no such order. Fails with FAILED_PRECONDITION when the order was delivered, or
     * when the stock would exceed 2147483647.
     * </pre>
     */
    public void cancelOrder(example.admin.v1.CancelOrderRequest request,
        io.grpc.stub.StreamObserver<example.admin.v1.CancelOrderResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getCancelOrderMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Marks an order as approved or delivered. Fails with NOT_FOUND when the account has no
     * such order. Fails with FAILED_PRECONDITION when the order was cancelled, or has a later
     * status already.
     * </pre>
     */
    public void advanceOrder(example.admin.v1.AdvanceOrderRequest request,
        io.grpc.stub.StreamObserver<example.admin.v1.AdvanceOrderResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getAdvanceOrderMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Returns entries of the audit trail, newest first, one page at a time. The trail has every
     * call of AdminService and every change by the command line. Each entry has a hash of itself
     * and of the entry before it, so the chain shows whether an entry was changed or removed.
     * A change has two entries: one before it is made, and one with its result. Successful calls
     * of this method, GetAccountUsage, ListTopAccounts and ListBans are recorded once in ten
     * minutes for each key, account and process.
     * </pre>
     */
    public void listAuditEntries(example.admin.v1.ListAuditEntriesRequest request,
        io.grpc.stub.StreamObserver<example.admin.v1.ListAuditEntriesResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getListAuditEntriesMethod(), getCallOptions()), request, responseObserver);
    }
  }

  /**
   * A stub to allow clients to do synchronous rpc calls to service AdminService.
   * <pre>
   * Administers the service. Every call needs a key with the scope `admin`.
   * </pre>
   */
  public static final class AdminServiceBlockingV2Stub
      extends io.grpc.stub.AbstractBlockingStub<AdminServiceBlockingV2Stub> {
    private AdminServiceBlockingV2Stub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected AdminServiceBlockingV2Stub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new AdminServiceBlockingV2Stub(channel, callOptions);
    }

    /**
     * <pre>
     * Creates an account.
     * </pre>
     */
    public example.admin.v1.CreateAccountResponse createAccount(example.admin.v1.CreateAccountRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getCreateAccountMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Returns one account. Fails with NOT_FOUND when it does not exist.
     * </pre>
     */
    public example.admin.v1.GetAccountResponse getAccount(example.admin.v1.GetAccountRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getGetAccountMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Returns the accounts, oldest first, one page at a time.
     * </pre>
     */
    public example.admin.v1.ListAccountsResponse listAccounts(example.admin.v1.ListAccountsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getListAccountsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Changes the plan of an account. The new limits apply from its next request. Fails with
     * NOT_FOUND when the account does not exist.
     * </pre>
     */
    public example.admin.v1.SetPlanResponse setPlan(example.admin.v1.SetPlanRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getSetPlanMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Renames an account. Fails with NOT_FOUND when the account does not exist.
     * </pre>
     */
    public example.admin.v1.RenameAccountResponse renameAccount(example.admin.v1.RenameAccountRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getRenameAccountMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Disables an account: from the next request, all requests with its keys fail with
     * PERMISSION_DENIED and the reason ACCOUNT_DISABLED. They are not counted. Keys, orders and
     * usage remain. If the account is disabled already, the call succeeds and changes nothing.
     * Fails with NOT_FOUND when the account does not exist. Fails with FAILED_PRECONDITION for
     * the account of the calling key.
     * </pre>
     */
    public example.admin.v1.DisableAccountResponse disableAccount(example.admin.v1.DisableAccountRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getDisableAccountMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Enables a disabled account. If the account is enabled already, the call succeeds and
     * changes nothing. Fails with NOT_FOUND when the account does not exist.
     * </pre>
     */
    public example.admin.v1.EnableAccountResponse enableAccount(example.admin.v1.EnableAccountRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getEnableAccountMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Deletes an account with its keys, orders and usage. It does not put the quantities of
     * orders back into stock. The history and the audit trail keep the account's id. If the
     * service stops before the end, call it again: it deletes the rest.
     * Fails with NOT_FOUND when nothing of the account exists. Fails with FAILED_PRECONDITION
     * for the account of the calling key.
     * </pre>
     */
    public example.admin.v1.DeleteAccountResponse deleteAccount(example.admin.v1.DeleteAccountRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getDeleteAccountMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Returns the usage of an account. Fails with NOT_FOUND when the account does not exist.
     * </pre>
     */
    public example.admin.v1.GetAccountUsageResponse getAccountUsage(example.admin.v1.GetAccountUsageRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getGetAccountUsageMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Returns the accounts with the most requests of today (in UTC), or with the most refused
     * ones, and what is left of their limits.
     * </pre>
     */
    public example.admin.v1.ListTopAccountsResponse listTopAccounts(example.admin.v1.ListTopAccountsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getListTopAccountsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Creates an API key. Only this response contains its secret. Fails with NOT_FOUND when
     * the account does not exist, and with FAILED_PRECONDITION when it has 1,000 valid keys.
     * </pre>
     */
    public example.admin.v1.CreateKeyResponse createKey(example.admin.v1.CreateKeyRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getCreateKeyMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Returns all keys of an account, oldest first, without their secrets. Fails with
     * NOT_FOUND when the account does not exist.
     * </pre>
     */
    public example.admin.v1.ListKeysResponse listKeys(example.admin.v1.ListKeysRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getListKeysMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Returns the keys of all accounts, without their secrets, one page at a time: account by
     * account, oldest first.
     * </pre>
     */
    public example.admin.v1.ListAllKeysResponse listAllKeys(example.admin.v1.ListAllKeysRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getListAllKeysMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Returns the keys that are banned now, those whose ban ends first at the beginning, one
     * page at a time.
     * </pre>
     */
    public example.admin.v1.ListBansResponse listBans(example.admin.v1.ListBansRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getListBansMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Revokes a key. Its next request is rejected. If the key is revoked already, the call
     * succeeds and changes nothing. Fails with NOT_FOUND when the key does not exist.
     * </pre>
     */
    public example.admin.v1.RevokeKeyResponse revokeKey(example.admin.v1.RevokeKeyRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getRevokeKeyMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Creates a new key with the name and scopes of an old one. The old key stays valid for
     * a grace period. Fails with NOT_FOUND when the old key does not exist. Fails with
     * FAILED_PRECONDITION when the old key was revoked or has expired, or when the account has
     * 1,000 valid keys.
     * </pre>
     */
    public example.admin.v1.RotateKeyResponse rotateKey(example.admin.v1.RotateKeyRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getRotateKeyMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Lifts the ban of a key and deletes its record of earlier bans. Fails with NOT_FOUND when
     * the key does not exist.
     * </pre>
     */
    public example.admin.v1.UnbanKeyResponse unbanKey(example.admin.v1.UnbanKeyRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getUnbanKeyMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Adds a pet to the catalogue. Fails with ALREADY_EXISTS when the pet exists.
     * </pre>
     */
    public example.admin.v1.CreateItemResponse createItem(example.admin.v1.CreateItemRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getCreateItemMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Adds pets, or sets the quantity and status of existing pets: all or none. Counts as one
     * request for any number of pets.
     * </pre>
     */
    public example.admin.v1.ImportItemsResponse importItems(example.admin.v1.ImportItemsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getImportItemsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Adds pets, or sets the quantity and status of existing pets. A stream can have any number
     * of messages. The service applies each message all or none before it reads the next. It
     * applies a message at most once, even if it has to retry because Redis did not respond in
     * time.
     * The ErrorInfo of an error has the metadata `appliedRows`: the number of pets that were
     * applied before the error. To finish, send the other pets. Sending all of them again is
     * safe, too.
     * The whole stream counts as one request: the limits protect the service from its
     * callers, not from its operator.
     * </pre>
     */
    @io.grpc.ExperimentalApi("https://github.com/grpc/grpc-java/issues/10918")
    public io.grpc.stub.BlockingClientCall<example.admin.v1.ImportInventoryRequest, example.admin.v1.ImportInventoryResponse>
        importInventory() {
      return io.grpc.stub.ClientCalls.blockingClientStreamingCall(
          getChannel(), getImportInventoryMethod(), getCallOptions());
    }

    /**
     * <pre>
     * Sets the status of a pet. Fails with NOT_FOUND when the pet does not exist.
     * </pre>
     */
    public example.admin.v1.SetItemStatusResponse setItemStatus(example.admin.v1.SetItemStatusRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getSetItemStatusMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Removes a pet from the catalogue. Fails with NOT_FOUND when the pet does not exist.
     * </pre>
     */
    public example.admin.v1.RemoveItemResponse removeItem(example.admin.v1.RemoveItemRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getRemoveItemMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Returns the orders of all accounts, newest first, one page at a time.
     * </pre>
     */
    public example.admin.v1.ListOrdersResponse listOrders(example.admin.v1.ListOrdersRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getListOrdersMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Cancels an order and puts its quantity back into stock, in one atomic step. If the order
     * is cancelled already, the call succeeds and changes nothing. Fails with NOT_FOUND when the
     * account has no such order. Fails with FAILED_PRECONDITION when the order was delivered, or
     * when the stock would exceed 2147483647.
     * </pre>
     */
    public example.admin.v1.CancelOrderResponse cancelOrder(example.admin.v1.CancelOrderRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getCancelOrderMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Marks an order as approved or delivered. Fails with NOT_FOUND when the account has no
     * such order. Fails with FAILED_PRECONDITION when the order was cancelled, or has a later
     * status already.
     * </pre>
     */
    public example.admin.v1.AdvanceOrderResponse advanceOrder(example.admin.v1.AdvanceOrderRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getAdvanceOrderMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Returns entries of the audit trail, newest first, one page at a time. The trail has every
     * call of AdminService and every change by the command line. Each entry has a hash of itself
     * and of the entry before it, so the chain shows whether an entry was changed or removed.
     * A change has two entries: one before it is made, and one with its result. Successful calls
     * of this method, GetAccountUsage, ListTopAccounts and ListBans are recorded once in ten
     * minutes for each key, account and process.
     * </pre>
     */
    public example.admin.v1.ListAuditEntriesResponse listAuditEntries(example.admin.v1.ListAuditEntriesRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getListAuditEntriesMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do limited synchronous rpc calls to service AdminService.
   * <pre>
   * Administers the service. Every call needs a key with the scope `admin`.
   * </pre>
   */
  public static final class AdminServiceBlockingStub
      extends io.grpc.stub.AbstractBlockingStub<AdminServiceBlockingStub> {
    private AdminServiceBlockingStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected AdminServiceBlockingStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new AdminServiceBlockingStub(channel, callOptions);
    }

    /**
     * <pre>
     * Creates an account.
     * </pre>
     */
    public example.admin.v1.CreateAccountResponse createAccount(example.admin.v1.CreateAccountRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getCreateAccountMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Returns one account. Fails with NOT_FOUND when it does not exist.
     * </pre>
     */
    public example.admin.v1.GetAccountResponse getAccount(example.admin.v1.GetAccountRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getGetAccountMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Returns the accounts, oldest first, one page at a time.
     * </pre>
     */
    public example.admin.v1.ListAccountsResponse listAccounts(example.admin.v1.ListAccountsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getListAccountsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Changes the plan of an account. The new limits apply from its next request. Fails with
     * NOT_FOUND when the account does not exist.
     * </pre>
     */
    public example.admin.v1.SetPlanResponse setPlan(example.admin.v1.SetPlanRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getSetPlanMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Renames an account. Fails with NOT_FOUND when the account does not exist.
     * </pre>
     */
    public example.admin.v1.RenameAccountResponse renameAccount(example.admin.v1.RenameAccountRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getRenameAccountMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Disables an account: from the next request, all requests with its keys fail with
     * PERMISSION_DENIED and the reason ACCOUNT_DISABLED. They are not counted. Keys, orders and
     * usage remain. If the account is disabled already, the call succeeds and changes nothing.
     * Fails with NOT_FOUND when the account does not exist. Fails with FAILED_PRECONDITION for
     * the account of the calling key.
     * </pre>
     */
    public example.admin.v1.DisableAccountResponse disableAccount(example.admin.v1.DisableAccountRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getDisableAccountMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Enables a disabled account. If the account is enabled already, the call succeeds and
     * changes nothing. Fails with NOT_FOUND when the account does not exist.
     * </pre>
     */
    public example.admin.v1.EnableAccountResponse enableAccount(example.admin.v1.EnableAccountRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getEnableAccountMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Deletes an account with its keys, orders and usage. It does not put the quantities of
     * orders back into stock. The history and the audit trail keep the account's id. If the
     * service stops before the end, call it again: it deletes the rest.
     * Fails with NOT_FOUND when nothing of the account exists. Fails with FAILED_PRECONDITION
     * for the account of the calling key.
     * </pre>
     */
    public example.admin.v1.DeleteAccountResponse deleteAccount(example.admin.v1.DeleteAccountRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getDeleteAccountMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Returns the usage of an account. Fails with NOT_FOUND when the account does not exist.
     * </pre>
     */
    public example.admin.v1.GetAccountUsageResponse getAccountUsage(example.admin.v1.GetAccountUsageRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getGetAccountUsageMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Returns the accounts with the most requests of today (in UTC), or with the most refused
     * ones, and what is left of their limits.
     * </pre>
     */
    public example.admin.v1.ListTopAccountsResponse listTopAccounts(example.admin.v1.ListTopAccountsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getListTopAccountsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Creates an API key. Only this response contains its secret. Fails with NOT_FOUND when
     * the account does not exist, and with FAILED_PRECONDITION when it has 1,000 valid keys.
     * </pre>
     */
    public example.admin.v1.CreateKeyResponse createKey(example.admin.v1.CreateKeyRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getCreateKeyMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Returns all keys of an account, oldest first, without their secrets. Fails with
     * NOT_FOUND when the account does not exist.
     * </pre>
     */
    public example.admin.v1.ListKeysResponse listKeys(example.admin.v1.ListKeysRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getListKeysMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Returns the keys of all accounts, without their secrets, one page at a time: account by
     * account, oldest first.
     * </pre>
     */
    public example.admin.v1.ListAllKeysResponse listAllKeys(example.admin.v1.ListAllKeysRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getListAllKeysMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Returns the keys that are banned now, those whose ban ends first at the beginning, one
     * page at a time.
     * </pre>
     */
    public example.admin.v1.ListBansResponse listBans(example.admin.v1.ListBansRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getListBansMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Revokes a key. Its next request is rejected. If the key is revoked already, the call
     * succeeds and changes nothing. Fails with NOT_FOUND when the key does not exist.
     * </pre>
     */
    public example.admin.v1.RevokeKeyResponse revokeKey(example.admin.v1.RevokeKeyRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getRevokeKeyMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Creates a new key with the name and scopes of an old one. The old key stays valid for
     * a grace period. Fails with NOT_FOUND when the old key does not exist. Fails with
     * FAILED_PRECONDITION when the old key was revoked or has expired, or when the account has
     * 1,000 valid keys.
     * </pre>
     */
    public example.admin.v1.RotateKeyResponse rotateKey(example.admin.v1.RotateKeyRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getRotateKeyMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Lifts the ban of a key and deletes its record of earlier bans. Fails with NOT_FOUND when
     * the key does not exist.
     * </pre>
     */
    public example.admin.v1.UnbanKeyResponse unbanKey(example.admin.v1.UnbanKeyRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getUnbanKeyMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Adds a pet to the catalogue. Fails with ALREADY_EXISTS when the pet exists.
     * </pre>
     */
    public example.admin.v1.CreateItemResponse createItem(example.admin.v1.CreateItemRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getCreateItemMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Adds pets, or sets the quantity and status of existing pets: all or none. Counts as one
     * request for any number of pets.
     * </pre>
     */
    public example.admin.v1.ImportItemsResponse importItems(example.admin.v1.ImportItemsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getImportItemsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Sets the status of a pet. Fails with NOT_FOUND when the pet does not exist.
     * </pre>
     */
    public example.admin.v1.SetItemStatusResponse setItemStatus(example.admin.v1.SetItemStatusRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getSetItemStatusMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Removes a pet from the catalogue. Fails with NOT_FOUND when the pet does not exist.
     * </pre>
     */
    public example.admin.v1.RemoveItemResponse removeItem(example.admin.v1.RemoveItemRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getRemoveItemMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Returns the orders of all accounts, newest first, one page at a time.
     * </pre>
     */
    public example.admin.v1.ListOrdersResponse listOrders(example.admin.v1.ListOrdersRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getListOrdersMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Cancels an order and puts its quantity back into stock, in one atomic step. If the order
     * is cancelled already, the call succeeds and changes nothing. Fails with NOT_FOUND when the
     * account has no such order. Fails with FAILED_PRECONDITION when the order was delivered, or
     * when the stock would exceed 2147483647.
     * </pre>
     */
    public example.admin.v1.CancelOrderResponse cancelOrder(example.admin.v1.CancelOrderRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getCancelOrderMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Marks an order as approved or delivered. Fails with NOT_FOUND when the account has no
     * such order. Fails with FAILED_PRECONDITION when the order was cancelled, or has a later
     * status already.
     * </pre>
     */
    public example.admin.v1.AdvanceOrderResponse advanceOrder(example.admin.v1.AdvanceOrderRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getAdvanceOrderMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Returns entries of the audit trail, newest first, one page at a time. The trail has every
     * call of AdminService and every change by the command line. Each entry has a hash of itself
     * and of the entry before it, so the chain shows whether an entry was changed or removed.
     * A change has two entries: one before it is made, and one with its result. Successful calls
     * of this method, GetAccountUsage, ListTopAccounts and ListBans are recorded once in ten
     * minutes for each key, account and process.
     * </pre>
     */
    public example.admin.v1.ListAuditEntriesResponse listAuditEntries(example.admin.v1.ListAuditEntriesRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getListAuditEntriesMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do ListenableFuture-style rpc calls to service AdminService.
   * <pre>
   * Administers the service. Every call needs a key with the scope `admin`.
   * </pre>
   */
  public static final class AdminServiceFutureStub
      extends io.grpc.stub.AbstractFutureStub<AdminServiceFutureStub> {
    private AdminServiceFutureStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected AdminServiceFutureStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new AdminServiceFutureStub(channel, callOptions);
    }

    /**
     * <pre>
     * Creates an account.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<example.admin.v1.CreateAccountResponse> createAccount(
        example.admin.v1.CreateAccountRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getCreateAccountMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Returns one account. Fails with NOT_FOUND when it does not exist.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<example.admin.v1.GetAccountResponse> getAccount(
        example.admin.v1.GetAccountRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getGetAccountMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Returns the accounts, oldest first, one page at a time.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<example.admin.v1.ListAccountsResponse> listAccounts(
        example.admin.v1.ListAccountsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getListAccountsMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Changes the plan of an account. The new limits apply from its next request. Fails with
     * NOT_FOUND when the account does not exist.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<example.admin.v1.SetPlanResponse> setPlan(
        example.admin.v1.SetPlanRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getSetPlanMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Renames an account. Fails with NOT_FOUND when the account does not exist.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<example.admin.v1.RenameAccountResponse> renameAccount(
        example.admin.v1.RenameAccountRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getRenameAccountMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Disables an account: from the next request, all requests with its keys fail with
     * PERMISSION_DENIED and the reason ACCOUNT_DISABLED. They are not counted. Keys, orders and
     * usage remain. If the account is disabled already, the call succeeds and changes nothing.
     * Fails with NOT_FOUND when the account does not exist. Fails with FAILED_PRECONDITION for
     * the account of the calling key.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<example.admin.v1.DisableAccountResponse> disableAccount(
        example.admin.v1.DisableAccountRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getDisableAccountMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Enables a disabled account. If the account is enabled already, the call succeeds and
     * changes nothing. Fails with NOT_FOUND when the account does not exist.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<example.admin.v1.EnableAccountResponse> enableAccount(
        example.admin.v1.EnableAccountRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getEnableAccountMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Deletes an account with its keys, orders and usage. It does not put the quantities of
     * orders back into stock. The history and the audit trail keep the account's id. If the
     * service stops before the end, call it again: it deletes the rest.
     * Fails with NOT_FOUND when nothing of the account exists. Fails with FAILED_PRECONDITION
     * for the account of the calling key.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<example.admin.v1.DeleteAccountResponse> deleteAccount(
        example.admin.v1.DeleteAccountRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getDeleteAccountMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Returns the usage of an account. Fails with NOT_FOUND when the account does not exist.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<example.admin.v1.GetAccountUsageResponse> getAccountUsage(
        example.admin.v1.GetAccountUsageRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getGetAccountUsageMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Returns the accounts with the most requests of today (in UTC), or with the most refused
     * ones, and what is left of their limits.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<example.admin.v1.ListTopAccountsResponse> listTopAccounts(
        example.admin.v1.ListTopAccountsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getListTopAccountsMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Creates an API key. Only this response contains its secret. Fails with NOT_FOUND when
     * the account does not exist, and with FAILED_PRECONDITION when it has 1,000 valid keys.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<example.admin.v1.CreateKeyResponse> createKey(
        example.admin.v1.CreateKeyRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getCreateKeyMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Returns all keys of an account, oldest first, without their secrets. Fails with
     * NOT_FOUND when the account does not exist.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<example.admin.v1.ListKeysResponse> listKeys(
        example.admin.v1.ListKeysRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getListKeysMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Returns the keys of all accounts, without their secrets, one page at a time: account by
     * account, oldest first.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<example.admin.v1.ListAllKeysResponse> listAllKeys(
        example.admin.v1.ListAllKeysRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getListAllKeysMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Returns the keys that are banned now, those whose ban ends first at the beginning, one
     * page at a time.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<example.admin.v1.ListBansResponse> listBans(
        example.admin.v1.ListBansRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getListBansMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Revokes a key. Its next request is rejected. If the key is revoked already, the call
     * succeeds and changes nothing. Fails with NOT_FOUND when the key does not exist.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<example.admin.v1.RevokeKeyResponse> revokeKey(
        example.admin.v1.RevokeKeyRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getRevokeKeyMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Creates a new key with the name and scopes of an old one. The old key stays valid for
     * a grace period. Fails with NOT_FOUND when the old key does not exist. Fails with
     * FAILED_PRECONDITION when the old key was revoked or has expired, or when the account has
     * 1,000 valid keys.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<example.admin.v1.RotateKeyResponse> rotateKey(
        example.admin.v1.RotateKeyRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getRotateKeyMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Lifts the ban of a key and deletes its record of earlier bans. Fails with NOT_FOUND when
     * the key does not exist.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<example.admin.v1.UnbanKeyResponse> unbanKey(
        example.admin.v1.UnbanKeyRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getUnbanKeyMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Adds a pet to the catalogue. Fails with ALREADY_EXISTS when the pet exists.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<example.admin.v1.CreateItemResponse> createItem(
        example.admin.v1.CreateItemRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getCreateItemMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Adds pets, or sets the quantity and status of existing pets: all or none. Counts as one
     * request for any number of pets.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<example.admin.v1.ImportItemsResponse> importItems(
        example.admin.v1.ImportItemsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getImportItemsMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Sets the status of a pet. Fails with NOT_FOUND when the pet does not exist.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<example.admin.v1.SetItemStatusResponse> setItemStatus(
        example.admin.v1.SetItemStatusRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getSetItemStatusMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Removes a pet from the catalogue. Fails with NOT_FOUND when the pet does not exist.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<example.admin.v1.RemoveItemResponse> removeItem(
        example.admin.v1.RemoveItemRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getRemoveItemMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Returns the orders of all accounts, newest first, one page at a time.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<example.admin.v1.ListOrdersResponse> listOrders(
        example.admin.v1.ListOrdersRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getListOrdersMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Cancels an order and puts its quantity back into stock, in one atomic step. If the order
     * is cancelled already, the call succeeds and changes nothing. Fails with NOT_FOUND when the
     * account has no such order. Fails with FAILED_PRECONDITION when the order was delivered, or
     * when the stock would exceed 2147483647.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<example.admin.v1.CancelOrderResponse> cancelOrder(
        example.admin.v1.CancelOrderRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getCancelOrderMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Marks an order as approved or delivered. Fails with NOT_FOUND when the account has no
     * such order. Fails with FAILED_PRECONDITION when the order was cancelled, or has a later
     * status already.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<example.admin.v1.AdvanceOrderResponse> advanceOrder(
        example.admin.v1.AdvanceOrderRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getAdvanceOrderMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Returns entries of the audit trail, newest first, one page at a time. The trail has every
     * call of AdminService and every change by the command line. Each entry has a hash of itself
     * and of the entry before it, so the chain shows whether an entry was changed or removed.
     * A change has two entries: one before it is made, and one with its result. Successful calls
     * of this method, GetAccountUsage, ListTopAccounts and ListBans are recorded once in ten
     * minutes for each key, account and process.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<example.admin.v1.ListAuditEntriesResponse> listAuditEntries(
        example.admin.v1.ListAuditEntriesRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getListAuditEntriesMethod(), getCallOptions()), request);
    }
  }

  private static final int METHODID_CREATE_ACCOUNT = 0;
  private static final int METHODID_GET_ACCOUNT = 1;
  private static final int METHODID_LIST_ACCOUNTS = 2;
  private static final int METHODID_SET_PLAN = 3;
  private static final int METHODID_RENAME_ACCOUNT = 4;
  private static final int METHODID_DISABLE_ACCOUNT = 5;
  private static final int METHODID_ENABLE_ACCOUNT = 6;
  private static final int METHODID_DELETE_ACCOUNT = 7;
  private static final int METHODID_GET_ACCOUNT_USAGE = 8;
  private static final int METHODID_LIST_TOP_ACCOUNTS = 9;
  private static final int METHODID_CREATE_KEY = 10;
  private static final int METHODID_LIST_KEYS = 11;
  private static final int METHODID_LIST_ALL_KEYS = 12;
  private static final int METHODID_LIST_BANS = 13;
  private static final int METHODID_REVOKE_KEY = 14;
  private static final int METHODID_ROTATE_KEY = 15;
  private static final int METHODID_UNBAN_KEY = 16;
  private static final int METHODID_CREATE_ITEM = 17;
  private static final int METHODID_IMPORT_ITEMS = 18;
  private static final int METHODID_SET_ITEM_STATUS = 19;
  private static final int METHODID_REMOVE_ITEM = 20;
  private static final int METHODID_LIST_ORDERS = 21;
  private static final int METHODID_CANCEL_ORDER = 22;
  private static final int METHODID_ADVANCE_ORDER = 23;
  private static final int METHODID_LIST_AUDIT_ENTRIES = 24;
  private static final int METHODID_IMPORT_INVENTORY = 25;

  private static final class MethodHandlers<Req, Resp> implements
      io.grpc.stub.ServerCalls.UnaryMethod<Req, Resp>,
      io.grpc.stub.ServerCalls.ServerStreamingMethod<Req, Resp>,
      io.grpc.stub.ServerCalls.ClientStreamingMethod<Req, Resp>,
      io.grpc.stub.ServerCalls.BidiStreamingMethod<Req, Resp> {
    private final AsyncService serviceImpl;
    private final int methodId;

    MethodHandlers(AsyncService serviceImpl, int methodId) {
      this.serviceImpl = serviceImpl;
      this.methodId = methodId;
    }

    @java.lang.Override
    @java.lang.SuppressWarnings("unchecked")
    public void invoke(Req request, io.grpc.stub.StreamObserver<Resp> responseObserver) {
      switch (methodId) {
        case METHODID_CREATE_ACCOUNT:
          serviceImpl.createAccount((example.admin.v1.CreateAccountRequest) request,
              (io.grpc.stub.StreamObserver<example.admin.v1.CreateAccountResponse>) responseObserver);
          break;
        case METHODID_GET_ACCOUNT:
          serviceImpl.getAccount((example.admin.v1.GetAccountRequest) request,
              (io.grpc.stub.StreamObserver<example.admin.v1.GetAccountResponse>) responseObserver);
          break;
        case METHODID_LIST_ACCOUNTS:
          serviceImpl.listAccounts((example.admin.v1.ListAccountsRequest) request,
              (io.grpc.stub.StreamObserver<example.admin.v1.ListAccountsResponse>) responseObserver);
          break;
        case METHODID_SET_PLAN:
          serviceImpl.setPlan((example.admin.v1.SetPlanRequest) request,
              (io.grpc.stub.StreamObserver<example.admin.v1.SetPlanResponse>) responseObserver);
          break;
        case METHODID_RENAME_ACCOUNT:
          serviceImpl.renameAccount((example.admin.v1.RenameAccountRequest) request,
              (io.grpc.stub.StreamObserver<example.admin.v1.RenameAccountResponse>) responseObserver);
          break;
        case METHODID_DISABLE_ACCOUNT:
          serviceImpl.disableAccount((example.admin.v1.DisableAccountRequest) request,
              (io.grpc.stub.StreamObserver<example.admin.v1.DisableAccountResponse>) responseObserver);
          break;
        case METHODID_ENABLE_ACCOUNT:
          serviceImpl.enableAccount((example.admin.v1.EnableAccountRequest) request,
              (io.grpc.stub.StreamObserver<example.admin.v1.EnableAccountResponse>) responseObserver);
          break;
        case METHODID_DELETE_ACCOUNT:
          serviceImpl.deleteAccount((example.admin.v1.DeleteAccountRequest) request,
              (io.grpc.stub.StreamObserver<example.admin.v1.DeleteAccountResponse>) responseObserver);
          break;
        case METHODID_GET_ACCOUNT_USAGE:
          serviceImpl.getAccountUsage((example.admin.v1.GetAccountUsageRequest) request,
              (io.grpc.stub.StreamObserver<example.admin.v1.GetAccountUsageResponse>) responseObserver);
          break;
        case METHODID_LIST_TOP_ACCOUNTS:
          serviceImpl.listTopAccounts((example.admin.v1.ListTopAccountsRequest) request,
              (io.grpc.stub.StreamObserver<example.admin.v1.ListTopAccountsResponse>) responseObserver);
          break;
        case METHODID_CREATE_KEY:
          serviceImpl.createKey((example.admin.v1.CreateKeyRequest) request,
              (io.grpc.stub.StreamObserver<example.admin.v1.CreateKeyResponse>) responseObserver);
          break;
        case METHODID_LIST_KEYS:
          serviceImpl.listKeys((example.admin.v1.ListKeysRequest) request,
              (io.grpc.stub.StreamObserver<example.admin.v1.ListKeysResponse>) responseObserver);
          break;
        case METHODID_LIST_ALL_KEYS:
          serviceImpl.listAllKeys((example.admin.v1.ListAllKeysRequest) request,
              (io.grpc.stub.StreamObserver<example.admin.v1.ListAllKeysResponse>) responseObserver);
          break;
        case METHODID_LIST_BANS:
          serviceImpl.listBans((example.admin.v1.ListBansRequest) request,
              (io.grpc.stub.StreamObserver<example.admin.v1.ListBansResponse>) responseObserver);
          break;
        case METHODID_REVOKE_KEY:
          serviceImpl.revokeKey((example.admin.v1.RevokeKeyRequest) request,
              (io.grpc.stub.StreamObserver<example.admin.v1.RevokeKeyResponse>) responseObserver);
          break;
        case METHODID_ROTATE_KEY:
          serviceImpl.rotateKey((example.admin.v1.RotateKeyRequest) request,
              (io.grpc.stub.StreamObserver<example.admin.v1.RotateKeyResponse>) responseObserver);
          break;
        case METHODID_UNBAN_KEY:
          serviceImpl.unbanKey((example.admin.v1.UnbanKeyRequest) request,
              (io.grpc.stub.StreamObserver<example.admin.v1.UnbanKeyResponse>) responseObserver);
          break;
        case METHODID_CREATE_ITEM:
          serviceImpl.createItem((example.admin.v1.CreateItemRequest) request,
              (io.grpc.stub.StreamObserver<example.admin.v1.CreateItemResponse>) responseObserver);
          break;
        case METHODID_IMPORT_ITEMS:
          serviceImpl.importItems((example.admin.v1.ImportItemsRequest) request,
              (io.grpc.stub.StreamObserver<example.admin.v1.ImportItemsResponse>) responseObserver);
          break;
        case METHODID_SET_ITEM_STATUS:
          serviceImpl.setItemStatus((example.admin.v1.SetItemStatusRequest) request,
              (io.grpc.stub.StreamObserver<example.admin.v1.SetItemStatusResponse>) responseObserver);
          break;
        case METHODID_REMOVE_ITEM:
          serviceImpl.removeItem((example.admin.v1.RemoveItemRequest) request,
              (io.grpc.stub.StreamObserver<example.admin.v1.RemoveItemResponse>) responseObserver);
          break;
        case METHODID_LIST_ORDERS:
          serviceImpl.listOrders((example.admin.v1.ListOrdersRequest) request,
              (io.grpc.stub.StreamObserver<example.admin.v1.ListOrdersResponse>) responseObserver);
          break;
        case METHODID_CANCEL_ORDER:
          serviceImpl.cancelOrder((example.admin.v1.CancelOrderRequest) request,
              (io.grpc.stub.StreamObserver<example.admin.v1.CancelOrderResponse>) responseObserver);
          break;
        case METHODID_ADVANCE_ORDER:
          serviceImpl.advanceOrder((example.admin.v1.AdvanceOrderRequest) request,
              (io.grpc.stub.StreamObserver<example.admin.v1.AdvanceOrderResponse>) responseObserver);
          break;
        case METHODID_LIST_AUDIT_ENTRIES:
          serviceImpl.listAuditEntries((example.admin.v1.ListAuditEntriesRequest) request,
              (io.grpc.stub.StreamObserver<example.admin.v1.ListAuditEntriesResponse>) responseObserver);
          break;
        default:
          throw new AssertionError();
      }
    }

    @java.lang.Override
    @java.lang.SuppressWarnings("unchecked")
    public io.grpc.stub.StreamObserver<Req> invoke(
        io.grpc.stub.StreamObserver<Resp> responseObserver) {
      switch (methodId) {
        case METHODID_IMPORT_INVENTORY:
          return (io.grpc.stub.StreamObserver<Req>) serviceImpl.importInventory(
              (io.grpc.stub.StreamObserver<example.admin.v1.ImportInventoryResponse>) responseObserver);
        default:
          throw new AssertionError();
      }
    }
  }

  public static final io.grpc.ServerServiceDefinition bindService(AsyncService service) {
    return io.grpc.ServerServiceDefinition.builder(getServiceDescriptor())
        .addMethod(
          getCreateAccountMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              example.admin.v1.CreateAccountRequest,
              example.admin.v1.CreateAccountResponse>(
                service, METHODID_CREATE_ACCOUNT)))
        .addMethod(
          getGetAccountMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              example.admin.v1.GetAccountRequest,
              example.admin.v1.GetAccountResponse>(
                service, METHODID_GET_ACCOUNT)))
        .addMethod(
          getListAccountsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              example.admin.v1.ListAccountsRequest,
              example.admin.v1.ListAccountsResponse>(
                service, METHODID_LIST_ACCOUNTS)))
        .addMethod(
          getSetPlanMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              example.admin.v1.SetPlanRequest,
              example.admin.v1.SetPlanResponse>(
                service, METHODID_SET_PLAN)))
        .addMethod(
          getRenameAccountMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              example.admin.v1.RenameAccountRequest,
              example.admin.v1.RenameAccountResponse>(
                service, METHODID_RENAME_ACCOUNT)))
        .addMethod(
          getDisableAccountMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              example.admin.v1.DisableAccountRequest,
              example.admin.v1.DisableAccountResponse>(
                service, METHODID_DISABLE_ACCOUNT)))
        .addMethod(
          getEnableAccountMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              example.admin.v1.EnableAccountRequest,
              example.admin.v1.EnableAccountResponse>(
                service, METHODID_ENABLE_ACCOUNT)))
        .addMethod(
          getDeleteAccountMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              example.admin.v1.DeleteAccountRequest,
              example.admin.v1.DeleteAccountResponse>(
                service, METHODID_DELETE_ACCOUNT)))
        .addMethod(
          getGetAccountUsageMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              example.admin.v1.GetAccountUsageRequest,
              example.admin.v1.GetAccountUsageResponse>(
                service, METHODID_GET_ACCOUNT_USAGE)))
        .addMethod(
          getListTopAccountsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              example.admin.v1.ListTopAccountsRequest,
              example.admin.v1.ListTopAccountsResponse>(
                service, METHODID_LIST_TOP_ACCOUNTS)))
        .addMethod(
          getCreateKeyMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              example.admin.v1.CreateKeyRequest,
              example.admin.v1.CreateKeyResponse>(
                service, METHODID_CREATE_KEY)))
        .addMethod(
          getListKeysMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              example.admin.v1.ListKeysRequest,
              example.admin.v1.ListKeysResponse>(
                service, METHODID_LIST_KEYS)))
        .addMethod(
          getListAllKeysMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              example.admin.v1.ListAllKeysRequest,
              example.admin.v1.ListAllKeysResponse>(
                service, METHODID_LIST_ALL_KEYS)))
        .addMethod(
          getListBansMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              example.admin.v1.ListBansRequest,
              example.admin.v1.ListBansResponse>(
                service, METHODID_LIST_BANS)))
        .addMethod(
          getRevokeKeyMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              example.admin.v1.RevokeKeyRequest,
              example.admin.v1.RevokeKeyResponse>(
                service, METHODID_REVOKE_KEY)))
        .addMethod(
          getRotateKeyMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              example.admin.v1.RotateKeyRequest,
              example.admin.v1.RotateKeyResponse>(
                service, METHODID_ROTATE_KEY)))
        .addMethod(
          getUnbanKeyMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              example.admin.v1.UnbanKeyRequest,
              example.admin.v1.UnbanKeyResponse>(
                service, METHODID_UNBAN_KEY)))
        .addMethod(
          getCreateItemMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              example.admin.v1.CreateItemRequest,
              example.admin.v1.CreateItemResponse>(
                service, METHODID_CREATE_ITEM)))
        .addMethod(
          getImportItemsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              example.admin.v1.ImportItemsRequest,
              example.admin.v1.ImportItemsResponse>(
                service, METHODID_IMPORT_ITEMS)))
        .addMethod(
          getImportInventoryMethod(),
          io.grpc.stub.ServerCalls.asyncClientStreamingCall(
            new MethodHandlers<
              example.admin.v1.ImportInventoryRequest,
              example.admin.v1.ImportInventoryResponse>(
                service, METHODID_IMPORT_INVENTORY)))
        .addMethod(
          getSetItemStatusMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              example.admin.v1.SetItemStatusRequest,
              example.admin.v1.SetItemStatusResponse>(
                service, METHODID_SET_ITEM_STATUS)))
        .addMethod(
          getRemoveItemMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              example.admin.v1.RemoveItemRequest,
              example.admin.v1.RemoveItemResponse>(
                service, METHODID_REMOVE_ITEM)))
        .addMethod(
          getListOrdersMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              example.admin.v1.ListOrdersRequest,
              example.admin.v1.ListOrdersResponse>(
                service, METHODID_LIST_ORDERS)))
        .addMethod(
          getCancelOrderMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              example.admin.v1.CancelOrderRequest,
              example.admin.v1.CancelOrderResponse>(
                service, METHODID_CANCEL_ORDER)))
        .addMethod(
          getAdvanceOrderMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              example.admin.v1.AdvanceOrderRequest,
              example.admin.v1.AdvanceOrderResponse>(
                service, METHODID_ADVANCE_ORDER)))
        .addMethod(
          getListAuditEntriesMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              example.admin.v1.ListAuditEntriesRequest,
              example.admin.v1.ListAuditEntriesResponse>(
                service, METHODID_LIST_AUDIT_ENTRIES)))
        .build();
  }

  private static abstract class AdminServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoFileDescriptorSupplier, io.grpc.protobuf.ProtoServiceDescriptorSupplier {
    AdminServiceBaseDescriptorSupplier() {}

    @java.lang.Override
    public com.google.protobuf.Descriptors.FileDescriptor getFileDescriptor() {
      return example.admin.v1.AdminProto.getDescriptor();
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.ServiceDescriptor getServiceDescriptor() {
      return getFileDescriptor().findServiceByName("AdminService");
    }
  }

  private static final class AdminServiceFileDescriptorSupplier
      extends AdminServiceBaseDescriptorSupplier {
    AdminServiceFileDescriptorSupplier() {}
  }

  private static final class AdminServiceMethodDescriptorSupplier
      extends AdminServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoMethodDescriptorSupplier {
    private final java.lang.String methodName;

    AdminServiceMethodDescriptorSupplier(java.lang.String methodName) {
      this.methodName = methodName;
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.MethodDescriptor getMethodDescriptor() {
      return getServiceDescriptor().findMethodByName(methodName);
    }
  }

  private static volatile io.grpc.ServiceDescriptor serviceDescriptor;

  public static io.grpc.ServiceDescriptor getServiceDescriptor() {
    io.grpc.ServiceDescriptor result = serviceDescriptor;
    if (result == null) {
      synchronized (AdminServiceGrpc.class) {
        result = serviceDescriptor;
        if (result == null) {
          serviceDescriptor = result = io.grpc.ServiceDescriptor.newBuilder(SERVICE_NAME)
              .setSchemaDescriptor(new AdminServiceFileDescriptorSupplier())
              .addMethod(getCreateAccountMethod())
              .addMethod(getGetAccountMethod())
              .addMethod(getListAccountsMethod())
              .addMethod(getSetPlanMethod())
              .addMethod(getRenameAccountMethod())
              .addMethod(getDisableAccountMethod())
              .addMethod(getEnableAccountMethod())
              .addMethod(getDeleteAccountMethod())
              .addMethod(getGetAccountUsageMethod())
              .addMethod(getListTopAccountsMethod())
              .addMethod(getCreateKeyMethod())
              .addMethod(getListKeysMethod())
              .addMethod(getListAllKeysMethod())
              .addMethod(getListBansMethod())
              .addMethod(getRevokeKeyMethod())
              .addMethod(getRotateKeyMethod())
              .addMethod(getUnbanKeyMethod())
              .addMethod(getCreateItemMethod())
              .addMethod(getImportItemsMethod())
              .addMethod(getImportInventoryMethod())
              .addMethod(getSetItemStatusMethod())
              .addMethod(getRemoveItemMethod())
              .addMethod(getListOrdersMethod())
              .addMethod(getCancelOrderMethod())
              .addMethod(getAdvanceOrderMethod())
              .addMethod(getListAuditEntriesMethod())
              .build();
        }
      }
    }
    return result;
  }
}
